"""The error of a trainer that cannot continue: a code of the project, what happened, what to do."""

import errno


class Failure(Exception):
    """
    An error with a `code` of `packages/base/errors.ts`, `advice` for a person, and a `system_code` such as ENOSPC.
    """

    def __init__(self, code, message, advice, retryable=False, system_code=None):
        super().__init__(message)
        self.code = code
        self.advice = advice
        self.retryable = retryable
        self.system_code = system_code


def invalid_request(message, advice="See `TrainRequest` in packages/language-model/trainer.ts."):
    return Failure("STP1002", message, advice)


def damaged(path, problem):
    return Failure("STP1302", f"{path}: {problem}", "Fetch the checkpoint again from the store, or train it again.")


def unwritable(path, error):
    advice = "Check free space and permissions of the folder."
    return Failure("STP1401", f"{path}: {error}", advice, retryable=True, system_code=errno.errorcode.get(error.errno))
