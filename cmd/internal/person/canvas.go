package person

import (
	"fmt"
	"io"
	"sync"

	"github.com/rocec/rocec/cmd/internal/view"
)

// canvas is the part of a terminal that a [Progress] draws. Other text replaces the drawing; the next drawing is below that text.
type canvas struct {
	mu     sync.Mutex
	w      io.Writer
	size   func() (columns, lines int) // nil: unknown
	drawn  []string
	within bool // the last text ended within a line, such as a question: nothing is drawn
}

// shared is a stream to the terminal with the canvas.
type shared struct {
	to io.Writer
	on *canvas
}

func (s *shared) Write(b []byte) (int, error) { return s.on.write(s.to, b) }

// Fd returns the descriptor, by which a terminal is detected.
func (s *shared) Fd() uintptr {
	if f, ok := s.to.(interface{ Fd() uintptr }); ok {
		return f.Fd()
	}
	return ^uintptr(0)
}

// room returns the maximum width and number of lines with which the terminal neither breaks lines nor scrolls.
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

// answered records that the person has ended the line of a question.
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
	for _, line := range c.drawn { // a terminal that became narrower has broken them
		up += 1 + max(view.Columns(line)-1, 0)/(columns+1)
	}
	fmt.Fprintf(c.w, "\r\x1b[%dA\x1b[J", up)
	c.drawn = nil
}
