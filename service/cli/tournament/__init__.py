"""`plyscribe demo --tournament`: a platform that runs an event on a service that keeps dying.

What plays, pairs and keeps standings here knows the service by its public API and its webhooks
alone. What looks at the logs afterwards reads them in bundles, as anybody may.
"""
