package person

import (
	"fmt"
	"io"
	"sync"

	"github.com/rocec/rocec/cmd/internal/view"
)

// canvas is the part of a terminal that a [Progress] draws. Other text takes its place, and the next drawing does not hide it.
type canvas struct {
	mu     sync.Mutex
	w      io.Writer
	size   func() (columns, lines int) // nil: not known
	drawn  []string
	within bool // the last text ended within a line, as a question does: nothing is drawn beside it
}

// shared is a stream to the terminal that has the canvas.
type shared struct {
	to io.Writer
	on *canvas
}

func (s *shared) Write(b []byte) (int, error) { return s.on.write(s.to, b) }

// Fd has a terminal known as one.
func (s *shared) Fd() uintptr {
	if f, ok := s.to.(interface{ Fd() uintptr }); ok {
		return f.Fd()
	}
	return ^uintptr(0)
}

// room returns how wide a line may be and how many there may be, so that the terminal neither breaks lines nor scrolls.
func (c *canvas) room() (columns, lines int) {
	const usualColumns, usualLines = 80, 24
	if c.size != nil {
		columns, lines = c.size()
	}
	if columns <= 0 || lines <= 0 {
		columns, lines = usualColumns, usualLines
	}
	return max(columns-1, 1), max(lines-1, 1)
}

func (c *canvas) draw(lines []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.within {
		return
	}
	columns, most := c.room()
	c.clear()
	for _, line := range lines[:min(len(lines), most)] {
		if r := []rune(line); len(r) > columns {
			line = string(r[:columns-1]) + "…"
		}
		fmt.Fprintln(c.w, line)
		c.drawn = append(c.drawn, line)
	}
}

// write replaces the drawing by text.
func (c *canvas) write(to io.Writer, text []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.clear()
	if len(text) == 0 {
		return 0, nil
	}
	c.within = text[len(text)-1] != '\n'
	return to.Write(text)
}

// answered notes that a person has ended the line of a question.
func (c *canvas) answered() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.within = false
}

func (c *canvas) clear() {
	if len(c.drawn) == 0 {
		return
	}
	columns, _ := c.room()
	up := 0
	for _, line := range c.drawn { // the terminal may be narrower than it was, and has broken them
		up += 1 + max(view.Columns(line)-1, 0)/(columns+1)
	}
	fmt.Fprintf(c.w, "\r\x1b[%dA\x1b[J", up)
	c.drawn = nil
}
