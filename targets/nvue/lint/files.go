package lint

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
	"sync"

	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/nvue/grammar"
	"github.com/rocec/rocec/targets/target/lint"
)

// startup is the base name of the file that NVUE of Cumulus Linux 5.x applies at boot.
const startup = "startup.yaml"

// headSize is the size of the beginning of a file that shows whether it is NVUE's.
const headSize = 64 << 10

// Linter checks configurations of NVUE. Their JSON is an object, like the files of other systems, so this linter is asked before those of
// other systems.
var Linter = &lint.Linter{
	Also:  []string{startup, "startup.json", "startup.nv", "nvue.yaml", "nvue.commands"},
	Same:  [2]string{"nvue.commands", "nvue.yaml"},
	Ends:  []string{".nv", ".txt", ".yaml", ".yml", ".json", ".cmds", ".commands", ".sh", ".cfg", ".conf", ".log"},
	Takes: Takes,
	Most:  grammar.MaxSize,
	Check: judgeAll,
	Rules: Topics,
	Shows: map[string]string{"": "nv config show"},
	Former: [][2]string{
		{"conf-nvue-cable", "conf-headroom"},
		{"conf-nvue-cable", "conf-sizes"},
		{"conf-nvue-ecn", "conf-ecn-thresholds"},
		{"conf-nvue-ecn", "conf-red-lossless"},
		{"conf-nvue-ecn", "conf-unmarked"},
		{"conf-nvue-map", "conf-lossless-default"},
		{"conf-nvue-map", "conf-pfc-unreachable"},
	},
	Unjudged: []diag.Topic{topicNVUE},
}

// The beginnings of NVUE texts that are not a JSON object: a list of header, set and unset, in YAML or JSON, and lines of commands, also
// after the first lines of a script. nvueVersion matches the line of a header that states the release.
var (
	nvueList = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(?:(?:[ \t]*(?:#[^\n]*|---[ \t]*)?\r?\n)*-[ \t]+(?:header|set|unset):|` +
			`\s*\[\s*\{\s*"(?:header|set|unset)"\s*:)`)
	})
	nvueCommands = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(?:[ \t]*(?:#[^\n]*|(?:set|export|echo|sleep|for|do|if|then|true|printf|logger|date)[ \t][^\n]*|` +
			`(?:do|then)|[A-Za-z_][A-Za-z0-9_]*=[^\n]*)?\r?\n)*[ \t]*(?:sudo[ \t]+)?nv[ \t]+(?:set|unset|config)[ \t]`)
	})
	nvueVersion = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?m)(?:^[ \t]+version:[ \t]*["']?|"version"[ \t]*:[ \t]*")(Cumulus Linux [0-9.]{1,16})`)
	})
	nvueQoS = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?m)(?:^[ \t]+qos:|"qos"[ \t]*:|^[^#\n]*nv[ \t]+set[ \t]+(?:interface[ \t]+[^ \t\n]+[ \t]+)?qos[ \t])`)
	})
	nothing = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(?:[ \t]*(?:#[^\n]*|---[ \t]*)?\r?\n)*[ \t]*(?:#[^\n]*|---[ \t]*)?$`)
	})
)

// Takes reports whether a file is NVUE's: by its beginning, whatever its name is, or by its name, unless it is JSON of something else.
func Takes(f lint.File) bool {
	head := f.Head(headSize)
	object := bytes.HasPrefix(bytes.TrimLeft(head, " \t\r\n"), []byte("{"))
	return f.Why == "" && (begins(head) || lint.Named(f.Name, startup) && !object)
}

// begins reports whether a text begins like one of NVUE. A command line copied from a terminal may precede it.
func begins(head []byte) bool {
	if command, rest := grammar.Prompt(head); command != "" {
		if nvueCommands().MatchString(command+" ") || isShow(command) {
			return true
		}
		head = rest
	}
	return nvueList().Match(head) || nvueCommands().Match(head) || isTree(head) || isObject(head)
}

// judgeAll checks files, one by one.
func judgeAll(files []lint.File) lint.Result {
	r := lint.Result{Files: make([]lint.Taken, len(files))}
	for i, f := range files {
		taken, found := Judge(f)
		r.Files[i] = taken
		r.Diagnostics = append(r.Diagnostics, found...)
	}
	r.Diagnostics.Sort()
	r.Diagnostics = lint.Fold(r.Diagnostics)
	return r
}

// advice states where to get the whole configuration of a switch.
const advice = "Give rocec the tree that `nv config show -o yaml` prints on the switch."

// Judge checks a file that [Takes] accepts by the paths of its release, or reports that the file is not checked, or only as a part.
func Judge(f lint.File) (t lint.Taken, found diag.List) {
	t.Dialect = "configuration of NVUE"
	if head := f.Head(headSize); len(f.Data) <= headSize && nothing().Match(head) {
		t.Why = lint.Empty
		return t, diag.List{Empty(f.Name)}
	}
	x := grammar.ReadLoosely(f.Data, grammar.Any())
	if isShown(x) {
		t = lint.Taken{Dialect: "output of nv show", Why: "it is the output of nv show, which is not a configuration"}
		return t, diag.List{lint.NotJudged(f.Name, t.Why, advice)}
	}
	if x.Commands {
		t.Dialect = "commands of NVUE"
	}
	at, release, other := stated(f, x)
	if _, known := Judged(f.Release); known && release == "" && other == "" {
		release = f.Release
	}
	rel, known := Judged(release)
	switch {
	case known:
		t.Dialect += " of Cumulus Linux " + release
		found = Check(f.Name, f.Data, rel)
	case release == "" && other == "":
		found, rel = Unstated(f.Name, f.Data)
		t.Dialect += fmt.Sprintf(", no release stated, checked as %d.%d", rel[0], rel[1])
	default:
		t.Why = unlike(f, &found, at, release, other)
		return t, found
	}
	switch part := partOf(x); {
	case part != "":
		t.Part, t.Why = true, part
		topicNVUE.Warnf(&found, f.Top(), "%s is checked as a part: %s. Missing values are unknown, so no rule assumes their "+
			"defaults. For a verdict on the switch, give rocec the tree that `nv config show -o yaml` prints there.",
			diag.Escape(f.Name), part)
	default:
		if t.Why = unjudged(x); t.Why != "" && len(x.Slips) == 0 {
			found = append(found, lint.NotJudged(f.Name, t.Why, advice))
		}
		t.Plain = t.Why == "" && Plain(&x.Config)
	}
	return t, found
}

// stated returns the release of Cumulus Linux in a header, with its place, or the text that the header has in its place.
func stated(f lint.File, x *grammar.Loose) (at diag.Range, release, other string) {
	const system = "Cumulus Linux "
	v := x.Header.Get("version")
	switch m := nvueVersion().FindSubmatch(f.Data); {
	case v.IsScalar() && strings.HasPrefix(v.Value, system):
		return grammar.NewLines(f.Name, f.Data).Range(v.At), strings.TrimPrefix(v.Value, system), ""
	case v.IsScalar():
		return f.Top(), "", v.Value
	case m != nil && !x.Commands: // of a header that cannot be read
		return f.Top(), strings.TrimPrefix(string(m[1]), system), ""
	}
	return f.Top(), "", ""
}

// unlike reports that a file is for a release whose paths are unknown. It returns the reason as a part of a sentence.
func unlike(f lint.File, found *diag.List, at diag.Range, release, other string) string {
	states := "is of Cumulus Linux " + diag.Escape(release)
	if release == "" {
		states = "is of " + diag.Escape(other)
	}
	qos := "It sets nothing below qos."
	if nvueQoS().Match(f.Data) {
		qos = "It sets qos, which is not checked."
	}
	topicNVUE.Warnf(found, at, "%s is a configuration of NVUE and %s. rocec knows the paths of %d.%d to %d.%d. %s Give rocec "+
		"qos_features.conf and qos_infra.conf of the switch, which NVUE writes.", diag.Escape(f.Name), states, grammar.First[0],
		grammar.First[1], grammar.Newest[0], grammar.Newest[1], qos)
	return "it " + states + ", whose paths rocec does not know"
}
