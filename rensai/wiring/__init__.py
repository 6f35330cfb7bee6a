"""The only floor that knows every room: routes, subscriptions, commands and the process tree."""
