package target

// Question is a command whose answer `rocec collect` keeps as a file of the device. The command only reads.
type Question struct {
	File string // the base name of the answer
	Cmd  string // for sh, without quotes, so that a person can paste it
	Says string // the content of the answer, in a few words
}

// Keep returns a configuration without the rows and values that are not read, and their number. Every other byte keeps its line. The error
// is the reason why the text cannot be kept at all, as part of a sentence.
type Keep func(name string, data []byte) (kept []byte, dropped int, err error)
