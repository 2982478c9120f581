// Package bundle makes the [Bundle] that `rocec selftest` shows: the answers of devices, as one text without the names, addresses and
// serial numbers of their owner. It derives each verdict from that text alone, so that [Judge] finds the same verdicts in a saved bundle.
package bundle

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/rocec/rocec/cmd/internal/mask"
	"github.com/rocec/rocec/docs/evidence"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/deploy/trial"
	"github.com/rocec/rocec/targets/target"
)

// Bundle contains the answers of devices.
type Bundle struct {
	Tool    string // the version of rocec
	Lab     bool   // the devices are simulated
	Level   int
	Devices []*Section
}

// Section contains the answers of one device.
type Section struct {
	Name     string // of the device, which is not shown
	Word     string // "device-1"
	Targets  []string
	Release  string // of the operating system, as the device reports it; empty: its targets have no releases
	Models   []string
	Chips    []string // each with its target, see [evidence.Chip]
	System   string   // other software that the device reports; empty: none
	Firmware string   // of its NICs; empty: none is read
	NotRead  string   // why there are no answers; empty: there are answers
	Wrote    bool     // the device may have content that rocec wrote
	Answers  []Answer
}

// Answer is the result of one claim.
type Answer struct {
	Claim   target.Claim
	Text    []byte          // output of its command, at most [target.MostAnswer] + 1 bytes
	Read    []trial.Reading // of a trial; Text is not used
	Verdict target.Verdict
	Why     string // of a trial: why it does not hold or is not decided, without names
}

// MostReading limits the kept text of a reading, in bytes.
const MostReading = 64 << 10

// head is the beginning of a bundle, addressed to its reader.
const head = `Names of devices and users, addresses and serial numbers are replaced by words: device-1, user-1,
addr-1, serial-1; the same word is the same thing. Read it before you give it to anybody: a name
that no program knows stays as it is.
`

// levels describes the levels in a few words.
var levels = [...]string{
	"0, which reads and changes nothing",
	"1, which writes, reads and undoes",
	"2, which proves that a switch marks",
	"3, which proves pauses on a bench",
}

// Text returns the bundle as it is shown and saved. Devices with equal answers share a section.
func (b *Bundle) Text(m *mask.Mask) string {
	var out strings.Builder
	who := evidence.Real
	if b.Lab {
		who = "simulated (--lab)"
	}
	fmt.Fprintf(&out, "%s\nrocec:   %s\n%s   %s\n", evidence.Title, oneLine(b.Tool), evidence.Level, levels[b.Level])
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
	fmt.Fprintf(&out, "\n%s\n", evidence.End)
	return out.String()
}

// Trial adds a trial of a device, and returns its verdict. It panics if there is no such trial, or the bundle has no such device.
func (b *Bundle) Trial(m *mask.Mask, device, id string, read []trial.Reading) Answer {
	t, _ := trial.Find(id)
	a := Answer{Claim: target.Claim{ID: t.ID, Says: t.Says, Source: "a trial by rocec"}, Read: read}
	i := slices.IndexFunc(b.Devices, func(s *Section) bool { return s.Name == device })
	a.Verdict, a.Why = verdict(a.Claim, b.Devices[i].Wrote, a.replies(m))
	b.Devices[i].Answers = append(b.Devices[i].Answers, a)
	return a
}

// decide sets the verdicts of the answers, from the text that is shown of them.
func (s *Section) decide(m *mask.Mask) {
	for i := range s.Answers {
		a := &s.Answers[i]
		a.Verdict, a.Why = verdict(a.Claim, s.Wrote, a.replies(m))
	}
}

// release is the form of a firmware's release, which can be that of an address: bnxt has four numbers.
var release = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\d{1,4}(\.\d{1,6}){1,3}$`) })

// firmwareText returns the releases of firmware, which come from a file that has nothing else (fw_ver). Another text is masked.
func firmwareText(m *mask.Mask, all string) string {
	list := strings.Split(all, ", ")
	for i, text := range list {
		if !release().MatchString(text) {
			list[i] = m.Text(text)
		}
	}
	return strings.Join(list, ", ")
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
	line(evidence.Chip, strings.Join(s.Chips, ", "))
	line("system:", m.Text(s.System))
	line("firmware:", firmwareText(m, s.Firmware))
	if s.NotRead != "" {
		line(evidence.NotRead, m.Text(s.NotRead))
		return out.String()
	}
	wrote := "no"
	if s.Wrote {
		wrote = evidence.Yes + ", so that answers about settings of rocec decide nothing"
	}
	line(evidence.Wrote, wrote)
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
		line(evidence.Verdict, string(a.Verdict))
		line("why:", a.Why)
		same := slices.IndexFunc(s.Answers[:i], func(o Answer) bool { return a.Read == nil && o.Read == nil && Same(o.Claim, a.Claim) })
		if same >= 0 {
			line(evidence.Answer, evidence.That+s.Answers[same].Claim.ID)
			continue
		}
		if a.Read == nil {
			for l := range strings.SplitSeq(m.Text(strings.TrimSpace(a.Claim.Cmd)), "\n") {
				fmt.Fprintf(&out, "%s%s\n", evidence.Command, diag.EscapeLines(l))
			}
		}
		for _, r := range a.replies(m) {
			showReply(&out, r)
		}
	}
	return out.String()
}

// showReply writes the answer of one moment.
func showReply(out *strings.Builder, r evidence.Reply) {
	if r.Moment != "" {
		fmt.Fprintf(out, "%s%s\n", evidence.Moment, r.Moment)
	}
	if r.Text == "" && !r.Cut {
		fmt.Fprintf(out, "%s\n", evidence.Nothing)
		return
	}
	for l := range strings.Lines(r.Text) {
		fmt.Fprintf(out, "%s%s", evidence.Line, l)
	}
	if r.Cut {
		fmt.Fprintf(out, "%safter its first lines)\n", evidence.Cut)
	}
}

// replies returns the answers of a claim as they are shown.
func (a *Answer) replies(m *mask.Mask) (out []evidence.Reply) {
	if a.Read == nil {
		return []evidence.Reply{reply(m, "", a.Text, target.MostAnswer)}
	}
	for _, r := range a.Read {
		out = append(out, reply(m, r.Moment, []byte(r.Text), MostReading))
	}
	return out
}

// reply returns an answer of at most so many bytes as it is shown: without names, and escaped.
func reply(m *mask.Mask, moment string, text []byte, most int) evidence.Reply {
	r := evidence.Reply{Moment: moment}
	if len(text) > most {
		text, r.Cut = text[:bytes.LastIndexByte(text[:most], '\n')+1], true // half a name would escape the mask
	}
	if len(bytes.TrimSpace(text)) == 0 {
		return r
	}
	var out strings.Builder
	for l := range strings.SplitSeq(strings.TrimRight(m.Text(string(text)), "\n"), "\n") {
		out.WriteString(diag.EscapeLines(l) + "\n")
	}
	r.Text = out.String()
	return r
}

// Same reports whether two claims ask the same.
func Same(a, b target.Claim) bool { return a.Cmd == b.Cmd && string(a.Stdin) == string(b.Stdin) }

func oneLine(s string) string { return diag.Escape(strings.Join(strings.Fields(s), " ")) }
