"""The error of a trainer that cannot continue: a code of the project, what happened, what to do."""


class Failure(Exception):
    """`code` is one of `data/errors.ts`; `advice` says what a person can do."""

    def __init__(self, code, message, advice, retryable=False):
        super().__init__(message)
        self.code = code
        self.advice = advice
        self.retryable = retryable


def invalid_request(message, advice="See `TrainRequest` in model/trainer.ts."):
    return Failure("STP1002", message, advice)


def damaged(path, problem):
    return Failure("STP1302", f"{path}: {problem}", "Fetch the checkpoint again from the store, or train it again.")


def unwritable(path, problem):
    advice = "Check free space and permissions of the folder."
    return Failure("STP1401", f"{path}: {problem}", advice, retryable=True)
