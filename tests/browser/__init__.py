"""What a person sees and does, in a real Chromium against a real server."""
