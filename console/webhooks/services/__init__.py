"""Services of webhooks: create, change and test them, and send deliveries."""
