// Package view prints the results of a verb on a [Screen]: plans, waves, evidence, findings of ports. A view takes data and writes text
// for people, or returns the document that the verb writes as JSON. It depends on no flags and commands. The fields of its documents are
// stable; their schemas are in docs/schema.
package view

import (
	"io"

	"github.com/rocec/rocec/lang/diag"
)

// Screen is where a view writes.
type Screen struct {
	W     io.Writer // breaks lines at the width
	Raw   io.Writer // writes lines unchanged
	Width int       // in columns
	Color bool
}

// NewScreen returns a screen of a width that writes to w.
func NewScreen(w io.Writer, width int, color bool) *Screen {
	return &Screen{W: NewFitWriter(w, width), Raw: w, Width: width, Color: color}
}

// Paint returns text in a style of package diag if the screen has colours.
func (s *Screen) Paint(style, text string) string { return diag.Paint(s.Color, style, text) }

// Prose writes text wrapped to the width, after a lead.
func (s *Screen) Prose(lead, text string) {
	(&diag.Printer{Width: s.Width}).Prose(s.W, lead, text) //nolint:errcheck // a closed terminal shows no error
}
