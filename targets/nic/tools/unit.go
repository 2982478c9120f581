package tools

import (
	"strings"
)

// unit returns the instance in the name of a systemd unit. It returns "-" if the name has no instance, and an empty text if the file is
// not a unit.
func unit(path, text string) (instance string) {
	base := path[strings.LastIndexByte(path, '/')+1:]
	if !strings.HasSuffix(base, ".service") && !strings.Contains(text[:min(len(text), 4096)], "[Service]\n") {
		return ""
	}
	_, instance, _ = strings.Cut(strings.TrimSuffix(base, ".service"), "@")
	if instance == "" {
		return "-"
	}
	return instance
}

// execs are the settings of a unit that run commands when it starts, in the order in which they run (man systemd.service).
var execs = []string{"ExecStartPre", "ExecStart", "ExecStartPost"}

// execLine is a command of a unit.
type execLine struct {
	text string
	line int
}

// unit reads the values that a systemd unit sets when it starts.
func (r *reader) unit(text, instance string) {
	runs := map[string][]execLine{}
	joined, from := "", 0
	for line := range strings.Lines(text) {
		r.line++
		line = strings.TrimSpace(line)
		if joined == "" {
			from = r.line
		}
		if body, more := strings.CutSuffix(line, `\`); more && len(joined) < mostLine {
			joined += body + " "
			continue
		}
		line = joined + line
		joined, r.text = "", line
		key, value, ok := strings.Cut(line, "=")
		key, value = strings.TrimSpace(key), strings.TrimSpace(value)
		switch {
		case line == "" || line[0] == '#' || line[0] == ';':
		case len(line) > mostLine:
			r.miss(line[:80], tooMuch)
		case ok && value == "" && strings.HasPrefix(key, "ExecStart"): // an empty value removes the commands above
			runs[key] = nil
		case ok && (key == execs[0] || key == execs[1] || key == execs[2]):
			runs[key] = append(runs[key], execLine{value, from})
		case ok && (strings.HasPrefix(key, "Condition") || strings.HasPrefix(key, "Assert")):
			r.miss(line, maybe)
		case ok || strings.HasPrefix(line, "["):
			r.count(&Statement{Aside: boots}, "")
		default:
			r.miss(line, noTool)
		}
	}
	last := r.line
	s := &shellReader{reader: r}
	for _, key := range execs {
		for _, run := range runs[key] {
			r.line, r.text = run.line, run.text
			s.exec(run.text, instance)
		}
	}
	r.line = last
}

// exec reads a command of a unit. systemd runs it without a shell: the instance replaces %i and %I, and no variable has a known
// value.
func (s *shellReader) exec(text, instance string) {
	text = strings.TrimLeft(text, "-@:+!")
	if instance != "-" {
		text = strings.NewReplacer("%%", "%", "%i", instance, "%I", strings.ReplaceAll(instance, "-", "/")).Replace(text)
	} else {
		text = strings.NewReplacer("%%", "%", "%i", "$i", "%I", "$i").Replace(text)
	}
	all := splitLine(text)
	if all.open || len(all.commands) == 0 {
		s.miss(s.text, noSense)
		return
	}
	words := stripSudo(all.commands[0].words)
	for _, c := range all.commands { // systemd passes a shell's operators to the program as arguments
		if c.after != "" && c.after != ";" || c.writes != "" || c.into != "" {
			s.doubt(words, "a unit has no shell: its command gets the rest as arguments")
			return
		}
	}
	for _, c := range all.commands {
		s.one(stripSudo(c.words), c, nil)
	}
}
