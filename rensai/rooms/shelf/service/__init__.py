"""What can be done in the room: one module for each verb or noun."""
