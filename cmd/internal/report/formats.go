package report

import "io"

// Format is a row of [Formats].
type Format struct {
	Name  string // value of --format
	Write func(io.Writer, *Report, Options) error
}

// Formats is the table of output formats of validate.
var Formats = []Format{
	{"text", Text},
	{"json", JSON},
	{"sarif", SARIF},
	{"junit", JUnit},
	{"github", GitHub},
	{"gitlab", GitLab},
	{"md", Markdown},
}

// FormatNames lists the names of [Formats].
func FormatNames() []string {
	names := make([]string, len(Formats))
	for i, f := range Formats {
		names[i] = f.Name
	}
	return names
}
