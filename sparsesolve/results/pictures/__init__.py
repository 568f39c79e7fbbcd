"""Pictures of results by matplotlib."""
