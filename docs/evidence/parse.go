package evidence

import (
	"fmt"
	"strings"
)

// The words of a bundle, which its writer uses, too.
const (
	Title   = "rocec selftest bundle 2"
	Level   = "level:"
	Devices = "devices:" // what answered: [Real], or simulated devices
	Real    = "real"
	Device  = "=== " // begins a section, for devices with equal answers
	Target  = "target:"
	Release = "release:"
	Model   = "model:"
	Chip    = "chip:" // each with its target: "cumulus Spectrum-2", "mlx5 connectx-5, rxe soft-roce"
	NotRead = "not read:"
	Wrote   = "wrote:" // [Yes]: rocec has written the devices, so that answers about its own settings decide nothing
	Yes     = "yes"
	Claim   = "--- " // begins a claim within a section
	Verdict = "verdict:"
	Answer  = "answer:" // the answer is the one of another claim: [That] and its name
	That    = "that of "
	Command = "  $ "
	Moment  = "  @ " // the answers below were read at this moment
	Line    = "  | "
	Nothing = "  (nothing)"
	Cut     = "  (cut "
	End     = "end of the bundle"
)

// The bounds of a bundle that [Parse] reads.
const (
	MaxBundle  = 32 << 20 // bytes
	maxParts   = 20_000   // sections
	maxEntries = 500      // claims of a section
	maxMoments = 50       // of a claim
	maxClaims  = 200_000  // of all sections
)

// Bundle is the content of a bundle.
type Bundle struct {
	Title, Tool, Level string
	Real               bool
	Parts              []*Part
	Whole              bool // its last line is there
}

// Part is a section of a bundle: the answers of devices with equal answers.
type Part struct {
	Devices string   // "device-1, device-2"
	Targets []string // "mlx5", "rxe"
	Release string
	Models  []string
	Chips   []string // as in the line [Chip]
	NotRead string   // why there are no answers; empty: there are answers
	Wrote   bool
	Entries []*Assertion
}

// Assertion is a claim with its answers and the verdict that was written.
type Assertion struct {
	ID, Verdict string
	That        string // the claim whose answer it shares; empty: its own
	Answers     []Reply
}

// Reply is the answer at a moment. A claim that is asked once has one answer, whose moment is empty.
type Reply struct {
	Moment string
	Text   string // its lines, each with a line break
	Cut    bool   // the end of the answer is missing
}

// Parse reads a bundle. It never fails for lines that it does not know. The error states which bound a bundle exceeds, or that the text is
// no bundle.
func Parse(text string) (*Bundle, error) {
	if len(text) > MaxBundle {
		return nil, fmt.Errorf("it is larger than %d MiB", MaxBundle>>20)
	}
	title, _, _ := strings.Cut(text, "\n")
	if title != Title {
		if old, ok := strings.CutPrefix(title, "rocec selftest bundle "); ok && len(old) < 10 {
			return nil, fmt.Errorf("it is a bundle of another rocec: it does not begin with %q", Title)
		}
		return nil, fmt.Errorf("it does not begin with %q", Title)
	}
	p := parser{b: &Bundle{Title: title}}
	for line := range strings.Lines(text) {
		if err := p.line(strings.TrimSuffix(line, "\n")); err != nil {
			return nil, err
		}
	}
	if p.reply != nil {
		p.end()
	}
	return p.b, nil
}

// parser is the place in a bundle that is being read.
type parser struct {
	b     *Bundle
	part  *Part
	entry *Assertion
	reply *Reply
	text  strings.Builder // of reply

	claims int // so far
}

// end ends the answer that is being read.
func (p *parser) end() {
	p.reply.Text = p.text.String()
	p.reply = nil
	p.text.Reset()
}

// answer returns the answer to which a line belongs.
func (p *parser) answer() *Reply {
	if p.reply == nil {
		p.entry.Answers = append(p.entry.Answers, Reply{})
		p.reply = &p.entry.Answers[len(p.entry.Answers)-1]
	}
	return p.reply
}

// line reads one line.
func (p *parser) line(line string) error {
	if p.b.Whole { // only an empty line may follow the last line
		p.b.Whole = line == ""
		return nil
	}
	if p.entry != nil && strings.HasPrefix(line, "  ") {
		return p.within(line)
	}
	if p.reply != nil {
		p.end()
	}
	word, value, _ := strings.Cut(line, " ")
	value = strings.TrimSpace(value)
	switch {
	case line == End:
		p.b.Whole, p.entry = true, nil
	case strings.HasPrefix(line, Device):
		if len(p.b.Parts) == maxParts {
			return fmt.Errorf("it has more than %d sections", maxParts)
		}
		p.part, p.entry = &Part{Devices: strings.TrimPrefix(line, Device)}, nil
		p.b.Parts = append(p.b.Parts, p.part)
	case p.part == nil:
		p.head(word, value)
	case strings.HasPrefix(line, Claim):
		if len(p.part.Entries) == maxEntries {
			return fmt.Errorf("a section has more than %d claims", maxEntries)
		}
		if p.claims++; p.claims > maxClaims {
			return fmt.Errorf("it has more than %d claims", maxClaims)
		}
		p.entry = &Assertion{ID: strings.TrimPrefix(line, Claim)}
		p.part.Entries = append(p.part.Entries, p.entry)
	case p.entry != nil && word == Verdict:
		p.entry.Verdict = value
	case p.entry != nil && word == Answer:
		p.entry.That = strings.TrimPrefix(value, That)
	case p.entry == nil:
		p.part.fact(line, word, value)
	}
	return nil
}

// head reads a line above the first section.
func (p *parser) head(word, value string) {
	switch word {
	case "rocec:":
		p.b.Tool = value
	case Level:
		p.b.Level, _, _ = strings.Cut(value, ",")
	case Devices:
		p.b.Real = value == Real
	}
}

// fact reads a line about the devices of a section.
func (s *Part) fact(line, word, value string) {
	switch {
	case strings.HasPrefix(line, NotRead):
		s.NotRead = strings.TrimSpace(strings.TrimPrefix(line, NotRead))
	case word == Target:
		s.Targets = strings.Fields(value)
	case word == Release:
		s.Release = value
	case word == Model:
		s.Models = strings.Split(value, ", ")
	case word == Chip:
		s.Chips = strings.Split(value, ", ")
	case word == Wrote:
		first, _, _ := strings.Cut(value, ",")
		s.Wrote = first == Yes
	}
}

// within reads a line of an answer.
func (p *parser) within(line string) error {
	switch {
	case strings.HasPrefix(line, Moment):
		if p.reply != nil {
			p.end()
		}
		if len(p.entry.Answers) == maxMoments {
			return fmt.Errorf("a claim has more than %d answers", maxMoments)
		}
		p.answer().Moment = strings.TrimPrefix(line, Moment)
	case strings.HasPrefix(line, Line):
		p.answer()
		p.text.WriteString(strings.TrimPrefix(line, Line))
		p.text.WriteByte('\n')
	case line == Nothing:
		p.answer()
	case strings.HasPrefix(line, Cut):
		p.answer().Cut = true
	}
	return nil
}
