package target

// Question is a command whose answer `rocec collect` keeps as a file of the device. It reads, and changes nothing.
type Question struct {
	File string // the base name of the answer
	Cmd  string // for sh, without quotes of its own that a person could not paste
	Says string // the content of the answer, in a few words
}

// Keep returns a configuration without its rows and values that are not read, and how many there were. Every other byte keeps its line. The
// error says why the text cannot be kept at all, as a part of a sentence.
type Keep func(name string, data []byte) (kept []byte, dropped int, err error)
