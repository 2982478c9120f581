package view

import (
	"fmt"
	"strings"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
)

// Origin is a reason for a value in JSON: a fact, a line of the fabric, or both.
type Origin struct {
	Why  string `json:"why,omitempty"`
	File string `json:"file,omitempty"`
	Line int    `json:"line,omitempty"`
}

// Origins returns the reasons of a value that have a text or a place.
func Origins(from []ir.Origin) []Origin {
	var out []Origin
	for _, o := range from {
		if o.At.Filename != "" || o.Why != "" {
			out = append(out, Origin{o.Why, o.At.Filename, o.At.Start.Line})
		}
	}
	return out
}

// OriginText prints origins in one line: "fabric.hcl:31 cable of 30 m; Spectrum: cells of 96 B".
func OriginText(from []Origin) string {
	var parts []string
	for _, o := range from {
		s := o.Why
		if o.File != "" {
			s = strings.TrimSpace(fmt.Sprintf("%s:%d %s", o.File, o.Line, o.Why))
		}
		parts = append(parts, diag.Escape(s))
	}
	return strings.Join(parts, "; ")
}
