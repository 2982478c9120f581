package view

import (
	"bytes"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/rocec/rocec/lang/diag"
)

// FitWriter breaks lines that are wider than a terminal, at spaces. It keeps text after the last newline until its line is complete.
type FitWriter struct {
	w     io.Writer
	width int
	part  []byte
}

// NewFitWriter returns a writer to w that breaks lines at a width.
func NewFitWriter(w io.Writer, width int) *FitWriter { return &FitWriter{w: w, width: width} }

// Write writes the lines that are complete.
func (f *FitWriter) Write(b []byte) (int, error) {
	f.part = append(f.part, b...)
	for {
		i := bytes.IndexByte(f.part, '\n')
		if i < 0 {
			return len(b), nil
		}
		_, err := io.WriteString(f.w, strings.Join(Fit(string(f.part[:i]), f.width), "\n")+"\n")
		f.part = append(f.part[:0], f.part[i+1:]...)
		if err != nil {
			return len(b), err
		}
	}
}

// Fit breaks a line into lines of a width: at the last gap between columns, else at the last space. It breaks no word: a word that is too
// wide gets its own line, with the word before it if it is a path ([diag.StartsPath]). Continuation lines are indented by four more
// columns; escape sequences have no width.
func Fit(line string, width int) []string {
	indent := len(line) - len(strings.TrimLeft(line, " "))
	hang := strings.Repeat(" ", min(indent+4, width/2))
	var out []string
	for {
		at := breakAt(line, width)
		if at < 0 {
			return append(out, line)
		}
		out = append(out, strings.TrimRight(line[:at], " "))
		line = hang + strings.TrimLeft(line[at:], " ")
	}
}

// breakAt returns the space at which a line must be broken; -1: the line fits, or has no space.
func breakAt(line string, width int) int {
	start := len(line) - len(strings.TrimLeft(line, " "))
	space, gap, columns, painting := -1, -1, 0, false
	for i, r := range line {
		switch {
		case painting:
			painting = r != 'm'
			continue
		case r == '\x1b':
			painting = true
			continue
		}
		if r == ' ' && i > start && (columns <= width || space < 0) && !diag.StartsPath(line[i+1:]) {
			if i+1 < len(line) && line[i+1] == ' ' && line[i-1] != ' ' {
				gap = i
			}
			space = i
		}
		if columns++; columns <= width || space < 0 || strings.TrimSpace(line[i:]) == "" {
			continue
		}
		const worth = 3 // a gap in the first third leaves most of the line empty
		if gap > len(line[:space])/worth {
			return gap
		}
		return space
	}
	return -1
}

// Columns returns the width of text on the screen, without escape sequences.
func Columns(text string) int {
	n := 0
	for {
		before, rest, found := strings.Cut(text, "\x1b")
		n += utf8.RuneCountInString(before)
		if !found {
			return n
		}
		_, text, _ = strings.Cut(rest, "m")
	}
}
