// Package conflint judges the settings files of Cumulus Linux switches: traffic.conf of every release, qos_features.conf and
// qos_infra.conf, and the memory pools of datapath.conf. It needs no description of a fabric.
//
// The input is the bytes of files. The output is diagnostics with the bytes at fault, and the dialect of each file. A dialect is
// recognised by the keys that a file sets ([grammar.Keys]), never guessed. A file that no release would understand is reported as a
// separate error. Where several releases share a spelling, the findings are true for all of them.
//
// For a value that no file contains, the package assumes a value with which the verdict is true on every switch. It assumes the slowest
// plausible port for headroom, and the largest chip of the dialect for memory. Where the manuals disagree, or are silent, the text of the
// finding states that, and the finding is a warning at most.
package conflint

import (
	"bytes"
	"path"
	"slices"
	"strings"

	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/cumulus/grammar"
	nvue "github.com/rocec/rocec/targets/nvue/lint"
	"github.com/rocec/rocec/targets/target/lint"
)

// Linter judges the files of switches that are configured by files. It accepts every file that no other linter accepts, since a settings
// file has no header. For a file without a known key, the finding lists the files that it could be.
var Linter = &lint.Linter{
	Names:  grammar.Files,
	Ends:   []string{".conf", ".txt", ".cfg"},
	Begins: begins,
	Most:   MaxFile,
	Check:  Check,
	Rules:  Rules,
	Shows:  shows(),
}

// shows returns the command that prints each file on a switch.
func shows() map[string]string {
	out := map[string]string{}
	for _, name := range grammar.Files {
		out[name] = "cat /etc/cumulus/datapath/" + name
	}
	for _, file := range []string{grammar.FeaturesPath, grammar.InfraPath} {
		out[path.Base(file)] = "cat " + file
	}
	return out
}

// begins reports whether the beginning of a file sets a key that some release has. The name of the file does not matter.
func begins(f lint.File) bool {
	const most = 64 << 10
	lines, _ := grammar.Parse(f.Head(most))
	return slices.ContainsFunc(lines, func(l grammar.Line) bool {
		words := strings.Split(l.Key, ".")
		row, _, _ := grammar.Match(words)
		return !l.Hidden && len(words) > 1 && row != nil
	})
}

// noKey is the reason why a file of settings is not judged. noKeys is the dialect of a file that is correct without keys that rocec
// judges.
const (
	noKey  = "no line sets a key that rocec knows"
	noKeys = "no key in it that rocec judges"
)

// Foreign is the code for a file that sets no key of any release. Unlisted is the code for the keys of a group that is not in force.
const (
	Foreign  = "conf-dialect"
	Unlisted = "conf-group-unlisted"
)

// result collects the findings of [Check].
type result lint.Result

// Check judges files. The files of one switch are judged together: those of one folder, or of one folder that contains a tree with etc/ or
// usr/lib/. A file with a configuration of NVUE instead of settings is judged by the rules for NVUE.
func Check(files []lint.File) lint.Result { return check(files, nvue.Takes) }

// CheckOwn is [Check] for files from which a switch reads settings. A configuration of NVUE in such a file is an error.
func CheckOwn(files []lint.File) lint.Result {
	return check(files, func(lint.File) bool { return false })
}

func check(files []lint.File, other func(lint.File) bool) lint.Result {
	r := result{Files: make([]lint.Taken, len(files))}
	devices := map[string][]int{}
	var order []string
	for i, f := range files {
		if other(f) {
			taken, found := nvue.Judge(f)
			r.Files[i] = taken
			r.Diagnostics = append(r.Diagnostics, found...)
			continue
		}
		key := deviceOf(f.Name)
		if devices[key] == nil {
			order = append(order, key)
		}
		devices[key] = append(devices[key], i)
	}
	for _, key := range order { // one switch after another, since a parsed file needs many times its size
		r.device(files, devices[key])
	}
	r.Diagnostics.Sort()
	r.Diagnostics = lint.Fold(r.Diagnostics)
	return lint.Result(r)
}

// device judges the files of one switch.
func (r *result) device(files []lint.File, of []int) {
	units := map[grammar.Dialects]*unit{}
	newer := slices.ContainsFunc(of, func(i int) bool { return dialectsOf(files[i].Name) == grammar.QoSFeatures })
	whole, plain := false, true // whole: a file with classes was judged; plain: no judged file pauses or marks
	judge := func(u *unit) {
		u.judge()
		r.take(u)
		whole = whole || u.has(grammar.QoSFeatures) || u.cand&grammar.TrafficConf != 0
		plain = plain && u.plain()
	}
	for _, i := range of {
		s := &source{File: files[i], kind: dialectsOf(files[i].Name)}
		s.nameless = s.kind == grammar.AnyFile
		if rel, ok := grammar.ParseRelease(s.Release); ok && s.kind&rel.Dialects() != 0 {
			s.kind &= rel.Dialects()
		}
		alone := &unit{}
		s.read(alone)
		switch idle := s.idle(newer); {
		case !s.readable:
			r.Files[i].Why = lint.Unread
		case idle && (len(of) == 1 || len(bytes.TrimSpace(s.Data)) == 0):
			why := noKey
			if len(bytes.TrimSpace(s.Data)) == 0 {
				why = lint.Empty
			}
			r.Files[i].Why = why
			r.Diagnostics = append(r.Diagnostics, lint.NotJudged(s.Name, why, "Make sure that it is the right file, and that it was copied "+
				"completely."))
		case idle && s.kind == grammar.QoSInfra:
			s.cand = grammar.QoSInfra
		case idle:
			r.Files[i].Dialect = noKeys
		default:
			if s.recognise(alone); s.cand == 0 {
				r.Files[i].Why = noKey
				if slices.ContainsFunc(alone.found.List, func(d *diag.Diagnostic) bool { return d.Code == topicMixed.Code }) {
					r.Files[i].Why = "it has keys of different releases"
				}
			}
		}
		if s.cand != 0 {
			r.Files[i].Dialect = s.cand.String()
		} else {
			r.take(alone)
			continue
		}
		together := family(s.cand)
		if u := units[together]; u != nil && u.has(s.kind) { // a second tree in the same folder
			judge(u)
			units[together] = nil
		}
		if units[together] == nil {
			units[together] = &unit{}
		}
		units[together].join(s, alone)
	}
	for _, together := range []grammar.Dialects{grammar.QoSFeatures, grammar.TrafficConf} {
		if u := units[together]; u != nil {
			judge(u)
		}
	}
	for _, i := range of {
		r.Files[i].Plain = whole && plain && r.Files[i].Why == ""
	}
}

// plain reports whether files pause nothing and mark nothing.
func (u *unit) plain() bool {
	return !slices.ContainsFunc(u.order, func(t *setting) bool {
		switch {
		case t.row == nil:
			return false
		case slices.Contains(grammar.DefaultMarking, t.feature()):
			return true
		case slices.Contains(grammar.Pausing, t.feature()) || slices.Contains(grammar.Marking, t.feature()):
			return t.row.Means != grammar.Groups || len(t.list) > 0 || !t.ok
		}
		return false
	})
}

// take adds the findings of a unit.
func (r *result) take(u *unit) {
	r.Diagnostics = append(r.Diagnostics, u.found.Close()...)
}

// split returns the switch in the name of a file, and the name from [grammar.Files] at its end. Both are empty for a file with another
// name.
func split(name string) (owner, base string) {
	for _, n := range grammar.Files {
		if owner, ok := lint.Owner(name, n); ok {
			return owner, n
		}
	}
	return "", ""
}

// deviceOf returns a key for the switch to which a file belongs: the folder in which its tree begins, and the switch in the name of the
// file.
func deviceOf(name string) string {
	owner, _ := split(name)
	dir := "/" + path.Dir(strings.ReplaceAll(name, `\`, "/")) + "/"
	for _, inside := range []string{"/etc/cumulus/", "/etc/mlx/", "/etc/bcm.d/", "/usr/lib/"} {
		if before, _, ok := strings.Cut(dir, inside); ok {
			return before + "/ " + owner
		}
	}
	return dir + " " + owner
}

// unit is the files of one switch that are read together, and their settings.
type unit struct {
	sources  []*source
	set      map[string]*setting // the last setting of each key
	order    []*setting          // the settings in set, in the order of the files
	cand     grammar.Dialects    // the possible dialects of all files
	found    lint.Findings
	meant    map[string]bool // the intended spelling of misspelled keys
	lossless map[int]item    // by cos of listed PFC groups: the first list element that names it
	memo     *mapping
	unread   *bool // a list of the map could not be read

	foreignValues int // the number of DSCPs in a map of PCPs
}

func (u *unit) has(kind grammar.Dialects) bool {
	for _, s := range u.sources {
		if s.kind == kind {
			return true
		}
	}
	return false
}

func (u *unit) join(s *source, alone *unit) {
	if u.set == nil {
		u.set, u.meant = map[string]*setting{}, map[string]bool{}
	}
	u.sources = append(u.sources, s)
	u.cand |= s.cand
	u.found.Join(&alone.found)
	for _, m := range s.meant {
		u.meant[m.key] = true
	}
	for _, t := range s.settings {
		u.set[t.key] = t
	}
	for _, t := range s.settings {
		if u.set[t.key] == t {
			u.order = append(u.order, t)
		}
	}
}

// judge runs every check. It parses the values first; later checks skip a value that could not be read.
func (u *unit) judge() {
	for _, t := range u.order {
		u.parse(t)
	}
	u.lossless = u.losslessCos()
	u.checkGroups()
	u.checkPorts()
	u.checkPriorityGroups()
	u.checkMap()
	u.checkTrusts()
	u.checkSchedulers()
	u.checkRemark()
	u.checkLossless()
	u.checkSizes()
	u.checkMemory()
	u.checkMarking()
	u.checkBandwidth()
	u.checkPools()
	u.checkMemoryBeside()
	u.checkCutThrough()
	u.checkWatchdog()
}

func (u *unit) errorf(t *diag.Topic, at diag.Range, format string, args ...any) *diag.Diagnostic {
	return u.found.Report(diag.Error, t, at, format, args...)
}

func (u *unit) warnf(t *diag.Topic, at diag.Range, format string, args ...any) *diag.Diagnostic {
	return u.found.Report(diag.Warning, t, at, format, args...)
}

func (u *unit) noticef(t *diag.Topic, at diag.Range, format string, args ...any) *diag.Diagnostic {
	return u.found.Report(diag.Notice, t, at, format, args...)
}
