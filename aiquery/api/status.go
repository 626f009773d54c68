package api

// statuses are the HTTP statuses of the codes, as numbers: who only needs values
// links no HTTP.
var statuses = map[Code]int{
	CodeInvalid:         400,
	CodeSyntax:          400,
	CodeNotSelect:       400,
	CodeUnsupported:     400,
	CodeData:            400,
	CodeTooComplex:      400,
	CodeTooLarge:        413,
	CodeUnauthenticated: 401,
	CodeDenied:          403,
	CodeNotFound:        404,
	CodeCanceled:        408,
	CodeTimeout:         504,
	CodeBusy:            429,
	CodeRateLimited:     429,
	CodeResources:       503,
	CodeUnavailable:     503,
	CodeInternal:        500,
}

// Status is the HTTP status of a code, 0 for a code that is not one of the constants.
func (c Code) Status() int { return statuses[c] }

// CodeOf is the code for a response of which only the HTTP status is known, such
// as that of a proxy.
func CodeOf(status int) Code {
	switch status {
	case 413:
		return CodeTooLarge
	case 401:
		return CodeUnauthenticated
	case 403:
		return CodeDenied
	case 404:
		return CodeNotFound
	case 408, 504:
		return CodeTimeout
	case 429:
		return CodeRateLimited
	case 502, 503:
		return CodeUnavailable
	}
	if status >= 500 {
		return CodeInternal
	}
	return CodeInvalid
}
