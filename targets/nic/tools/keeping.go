package tools

// plainPrompt replaces a prompt with the names of a user and of a host.
const plainPrompt = "$ "

// keeping records the replacements of lines in a capture.
type keeping struct {
	capture bool
	several bool
	lines   map[int]string
}
