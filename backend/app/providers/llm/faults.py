"""What the providers' libraries raise, in our words.

By names and numbers and not by classes: the libraries are imported only where they are used, and
wrap each other.
"""

from typing import Any

from backend.app.domain.language_models import ModelFault, Usage

_BY_NAME: tuple[tuple[frozenset[str], ModelFault], ...] = (
    (frozenset({"LengthFinishReasonError"}), ModelFault.TRUNCATED),
    (frozenset({"ContentFilterFinishReasonError"}), ModelFault.DECLINED),
    (
        frozenset({"APITimeoutError", "ReadTimeoutError", "TimeoutException", "TimeoutError"}),
        ModelFault.TIMED_OUT,
    ),
    (
        frozenset(
            {
                *("APIConnectionError", "EndpointConnectionError", "ConnectionClosedError"),
                *("ConnectTimeoutError", "HTTPClientError", "TransportError", "ConnectionError"),
            }
        ),
        ModelFault.UNREACHABLE,
    ),
    (
        frozenset(
            {
                *("NoCredentialsError", "PartialCredentialsError", "CredentialRetrievalError"),
                *("TokenRetrievalError", "NoRegionError", "ProfileNotFound"),
            }
        ),
        ModelFault.NOT_ALLOWED,
    ),
)
_BY_CODE = {
    "ThrottlingException": ModelFault.THROTTLED,
    "TooManyRequestsException": ModelFault.THROTTLED,
    "ServiceQuotaExceededException": ModelFault.THROTTLED,
    "ServiceUnavailableException": ModelFault.THROTTLED,
    "ModelNotReadyException": ModelFault.THROTTLED,
    "ModelTimeoutException": ModelFault.TIMED_OUT,
    "AccessDeniedException": ModelFault.NOT_ALLOWED,
    "UnrecognizedClientException": ModelFault.NOT_ALLOWED,
    "InvalidSignatureException": ModelFault.NOT_ALLOWED,
    "ExpiredTokenException": ModelFault.NOT_ALLOWED,
    "ResourceNotFoundException": ModelFault.NOT_ALLOWED,
}
_BY_STATUS = {
    401: ModelFault.NOT_ALLOWED,
    402: ModelFault.NOT_ALLOWED,
    403: ModelFault.NOT_ALLOWED,
    404: ModelFault.NOT_ALLOWED,
    408: ModelFault.TIMED_OUT,
    429: ModelFault.THROTTLED,
    503: ModelFault.THROTTLED,
    504: ModelFault.TIMED_OUT,
    529: ModelFault.THROTTLED,
}
#: What a client library or LangChain raises over an answer that it cannot take apart.
_UNREADABLE = frozenset(
    {"ValidationError", "OutputParserException", "JSONDecodeError", "APIResponseValidationError"}
)


def fault_of(error: Exception) -> ModelFault:
    """Why a call failed."""
    names = {one.__name__ for one in type(error).__mro__}
    for known, fault in _BY_NAME:
        if names & known:
            return fault
    response = getattr(error, "response", None)
    code = response.get("Error", {}).get("Code") if isinstance(response, dict) else None
    if code in _BY_CODE:
        return _BY_CODE[code]
    status = status_of(error)
    if status is not None:
        return _BY_STATUS.get(status, ModelFault.BROKEN)
    return ModelFault.UNUSABLE if names & _UNREADABLE else ModelFault.BROKEN


def status_of(error: Exception) -> int | None:
    """The HTTP status that an error stands for; None of one that never got so far."""
    status: Any = getattr(error, "status_code", None)
    response = getattr(error, "response", None)
    if isinstance(response, dict):
        status = response.get("ResponseMetadata", {}).get("HTTPStatusCode")
    return status if isinstance(status, int) else None


def may_be_the_method(error: Exception) -> bool:
    """Whether an endpoint may have refused how it was asked for a structured answer, so that
    another way is worth trying. Some answer 500 to a field that they do not know.
    """
    return status_of(error) in {400, 415, 422, 500, 501}


def usage_in(error: Exception) -> Usage:
    """What a failed call cost all the same, if its error tells."""
    told = getattr(getattr(error, "completion", None), "usage", None)
    if told is None:
        return Usage()
    return Usage(int(told.prompt_tokens), int(told.completion_tokens))
