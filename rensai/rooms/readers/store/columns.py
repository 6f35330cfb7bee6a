"""The columns of a row, in the order of its Struct."""

USER = """users.id, users.uid, users.username, users.email, users.display_name, users.bio,
    users.role, users.is_active, users.is_banned, users.email_verified, users.created_at"""
