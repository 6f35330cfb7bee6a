"""Talk: what readers say to each other, and about what should not be here.

Owns the tables `comments`, `comment_likes` and `reports`.
"""
