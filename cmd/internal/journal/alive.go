package journal

import "errors"

// ErrAlive is a run whose process still goes on.
var ErrAlive = errors.New("the run goes on in another process")
