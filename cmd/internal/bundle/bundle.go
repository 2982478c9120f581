// Package bundle makes the [Bundle] that `rocec selftest` shows: the answers of devices, as one text without the names, addresses and
// serial numbers of their owner.
package bundle

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/rocec/rocec/cmd/internal/mask"
	"github.com/rocec/rocec/docs/evidence"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/target"
)

// Bundle contains the answers of devices.
type Bundle struct {
	Tool    string // the version of rocec
	Lab     bool   // the devices are simulated
	Devices []*Section
}

// Section contains the answers of one device.
type Section struct {
	Word    string // "device-1"
	Targets []string
	Release string // of the operating system, as the device reports it; empty: its targets have no releases
	Models  []string
	System  string // other software that the device reports; empty: none
	NotRead string // why there are no answers; empty: there are answers
	Answers []Answer
}

// Answer is the result of one claim.
type Answer struct {
	Claim   target.Claim
	Text    []byte // output of its command, at most [target.MostAnswer] + 1 bytes
	Verdict target.Verdict
}

// head is the beginning of a bundle, addressed to its reader.
const head = `Names of devices and users, addresses and serial numbers are replaced by words: device-1, user-1,
addr-1, serial-1; the same word is the same thing. Read it before you give it to anybody: a name
that no program knows stays as it is.
`

// Text returns the bundle as it is shown and saved. Devices with equal answers share a section.
func (b *Bundle) Text(m *mask.Mask) string {
	var out strings.Builder
	who := evidence.Real
	if b.Lab {
		who = "simulated (--lab)"
	}
	fmt.Fprintf(&out, "%s\nrocec:   %s\nlevel:   0, which reads and changes nothing\n", evidence.Title, oneLine(b.Tool))
	fmt.Fprintf(&out, "%s %s\n\n%s", evidence.Devices, who, head)
	var texts []string
	of := map[string][]string{}
	for _, s := range b.Devices {
		text := s.text(m)
		if of[text] == nil {
			texts = append(texts, text)
		}
		of[text] = append(of[text], s.Word)
	}
	for _, text := range texts {
		fmt.Fprintf(&out, "\n%s%s\n%s", evidence.Device, strings.Join(of[text], ", "), text)
	}
	return out.String()
}

// text returns the lines below the name of a device.
func (s *Section) text(m *mask.Mask) string {
	var out strings.Builder
	line := func(key, value string) {
		if value != "" {
			fmt.Fprintf(&out, "%-8s %s\n", key, oneLine(value))
		}
	}
	line(evidence.Target, strings.Join(s.Targets, " "))
	line(evidence.Release, m.Text(s.Release))
	line(evidence.Model, m.Text(strings.Join(s.Models, ", ")))
	line("system:", m.Text(s.System))
	if s.NotRead != "" {
		line("not read:", m.Text(s.NotRead))
		return out.String()
	}
	count := map[target.Verdict]int{}
	for _, a := range s.Answers {
		count[a.Verdict]++
	}
	line("claims:", fmt.Sprintf("%d hold, %d do not hold, %d not decided",
		count[target.Holds], count[target.DoesNotHold], count[target.NotDecided]+count[target.Echo]))
	for i, a := range s.Answers {
		fmt.Fprintf(&out, "\n%s%s\n", evidence.Claim, a.Claim.ID)
		line("says:", a.Claim.Says)
		line("source:", a.Claim.Source)
		line("verdict:", string(a.Verdict))
		same := slices.IndexFunc(s.Answers[:i], func(o Answer) bool { return Same(o.Claim, a.Claim) })
		if same >= 0 {
			line("answer:", "that of "+s.Answers[same].Claim.ID)
			continue
		}
		for l := range strings.SplitSeq(m.Text(strings.TrimSpace(a.Claim.Cmd)), "\n") {
			fmt.Fprintf(&out, "  $ %s\n", diag.EscapeLines(l))
		}
		text, cut := a.Text, false
		if len(text) > target.MostAnswer {
			text, cut = text[:bytes.LastIndexByte(text[:target.MostAnswer], '\n')+1], true // half a name would escape the mask
		}
		if len(bytes.TrimSpace(text)) == 0 && !cut {
			fmt.Fprintf(&out, "  (nothing)\n")
			continue
		}
		for l := range strings.SplitSeq(strings.TrimRight(m.Text(string(text)), "\n"), "\n") {
			fmt.Fprintf(&out, "  | %s\n", diag.EscapeLines(l))
		}
		if cut {
			fmt.Fprintf(&out, "  (cut after %d bytes)\n", target.MostAnswer)
		}
	}
	return out.String()
}

// Same reports whether two claims ask the same.
func Same(a, b target.Claim) bool { return a.Cmd == b.Cmd && string(a.Stdin) == string(b.Stdin) }

func oneLine(s string) string { return diag.Escape(strings.Join(strings.Fields(s), " ")) }
