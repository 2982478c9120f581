// Package docstest reads the pages of the manual for tests.
package docstest

import (
	"os"
	"strings"
	"testing"
)

// Fence is a fenced block of a Markdown file, with the heading above it.
type Fence struct {
	Heading  string // the last heading
	Section  string // the last heading of the second level: "Example", with "SONiC" below it
	Code     string // the code of the page; set by callers
	Language string
	Options  string // the words that follow the language
	Text     string
	Line     int
}

// Fences returns the fenced blocks of a file, in order.
func Fences(t *testing.T, file string) []Fence {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var out []Fence
	var at Fence
	inside := false
	number := 0
	for line := range strings.Lines(string(data)) {
		number++
		text := strings.TrimRight(line, "\n")
		switch {
		case inside && text == "```":
			out = append(out, at)
			inside = false
		case inside:
			at.Text += line
		case strings.HasPrefix(text, "```"):
			at.Language, at.Options, _ = strings.Cut(strings.TrimPrefix(text, "```"), " ")
			at.Text, at.Line, inside = "", number+1, true
		case strings.HasPrefix(text, "#"):
			at.Heading = strings.TrimLeft(text, "# ")
			if !strings.HasPrefix(text, "###") {
				at.Section = at.Heading
			}
		}
	}
	if inside {
		t.Fatalf("%s: a fence is not closed", file)
	}
	return out
}
