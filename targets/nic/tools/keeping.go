package tools

// plainPrompt replaces a prompt, which has names of a user and of a host.
const plainPrompt = "$ "

// keeping notes what replaces lines of a capture.
type keeping struct {
	capture bool
	several bool
	lines   map[int]string
}
