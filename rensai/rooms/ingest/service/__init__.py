"""What the room decides: one module for each verb."""
