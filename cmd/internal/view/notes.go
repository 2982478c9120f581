package view

import (
	"fmt"
	"strings"

	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/deploy"
)

// noteWord returns the short name of a note for the line of notes.
func noteWord(code string) string {
	if code == "" {
		return "notes"
	}
	return code
}

// ofGroup counts the notes about the files of devices with the same changes.
func (n *notes) ofGroup(g deploy.Group) {
	for _, d := range g.Devices {
		n.ofDevice(d)
	}
}

func (n *notes) ofDevice(d *deploy.DevicePlan) {
	seen := map[string]bool{}
	for _, note := range d.Diags {
		if word := noteWord(note.Code); !seen[word] {
			seen[word] = true
			n.groups.Add(word, d.Device.Name)
		}
	}
}

// notesLine prints how many notes are folded, about how many devices, and the flag that shows them.
func (v *Plan) notesLine(p *deploy.Plan) {
	if v.Options.Notes || v.Again {
		return
	}
	var words []string
	devices := map[string]int{}
	add := func(t *Texts) {
		for _, word := range t.All {
			if devices[word] == 0 {
				words = append(words, word)
			}
			devices[word] += len(t.Of[word])
		}
	}
	add(&v.folded.watched)
	add(&v.folded.groups)
	same := notes{}
	for _, d := range p.Devices {
		if d.Status == deploy.StatusSame {
			same.ofDevice(d)
		}
	}
	add(&same.groups)
	if v.folded.evidence > 0 {
		words = append(words, "evidence")
		devices["evidence"] = v.folded.evidence
	}
	for i, word := range words {
		words[i] = fmt.Sprintf("%s (%s)", word, diag.Count(devices[word], "device"))
	}
	if len(words) > 0 {
		fmt.Fprintf(v.W, "Notes: %s; --notes shows them.\n", strings.Join(words, ", "))
	}
}
