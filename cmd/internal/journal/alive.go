package journal

import "errors"

// ErrAlive reports that the process of a run is still running.
var ErrAlive = errors.New("the run goes on in another process")
