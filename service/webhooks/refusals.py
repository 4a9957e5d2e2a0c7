"""Refusals of webhooks; each with what it answers with."""

from collections.abc import Mapping
from typing import Final

from service.refusal import Refusal, Row


class WebhookNotFound(Refusal):
    """No such webhook of the caller's organisation."""


class DeliveryNotFound(Refusal):
    """No such delivery of the webhook, or one that is forgotten."""


class TooManyWebhooks(Refusal):
    """The organisation has as many webhooks as it may."""


class WebhookDisabled(Refusal):
    """Nothing is sent to a webhook that is disabled."""


ROWS: Final[Mapping[type[Exception], Row]] = {
    WebhookNotFound: Row(
        404, "webhook-not-found", "No such webhook", "There is no such webhook of yours."
    ),
    DeliveryNotFound: Row(
        404, "delivery-not-found", "No such delivery", "The webhook has no such delivery."
    ),
    TooManyWebhooks: Row(
        409, "too-many-webhooks", "Too many webhooks", "An organisation has at most 50 webhooks."
    ),
    WebhookDisabled: Row(
        409,
        "webhook-disabled",
        "The webhook is disabled",
        "Nothing is sent to it until it is enabled again.",
    ),
}
