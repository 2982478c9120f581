package journal

import "os"

// There is one process in a browser.
func lock(*os.File) error  { return nil }
func unlock(*os.File)      {}
func locked(*os.File) bool { return false }
