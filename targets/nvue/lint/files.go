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

// nvueFile is the base name of the file that NVUE of Cumulus Linux 5.x applies at boot.
const nvueFile = "startup.yaml"

// headSize is the size of the part of a file that shows whether it is of NVUE.
const headSize = 64 << 10

// Linter judges configurations of NVUE. Its JSON is an object, as the files of other systems are, so it is asked before their linters.
var Linter = &lint.Linter{
	Also:     []string{nvueFile},
	Takes:    Takes,
	Most:     grammar.MaxSize,
	Check:    judgeAll,
	Rules:    Topics,
	Unjudged: []diag.Topic{topicNVUE},
}

// What NVUE's files begin with: a list of header, set and unset, in YAML or JSON; JSON with these, or with the tree, in an object, also
// below the number of a revision; and lines of commands. And where a header names the release.
var (
	nvueList = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(?:(?:[ \t]*(?:#[^\n]*|---[ \t]*)?\r?\n)*-[ \t]+(?:header|set|unset):|` +
			`\s*\[\s*\{\s*"(?:header|set|unset)"\s*:)`)
	})
	nvueObject = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^\s*\{\s*(?:"[0-9]{1,9}"\s*:\s*\{\s*"(?:header|set|unset)"|"(?:` +
			`header|set|unset|acl|bridge|evpn|interface|mlag|nve|platform|qos|router|service|system|vrf)")\s*:\s*\{`)
	})
	nvueCommands = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(?:[ \t]*(?:#[^\n]*)?\r?\n)*[ \t]*(?:sudo[ \t]+)?nv[ \t]+(?:set|unset|config)[ \t]`)
	})
	nvueVersion = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?m)(?:^[ \t]+version:[ \t]*["']?|"version"[ \t]*:[ \t]*")(Cumulus Linux [0-9.]{1,16})`)
	})
	nvueQoS = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?m)(?:^[ \t]+qos:|"qos"[ \t]*:)`) })
	nothing = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(?:[ \t]*(?:#[^\n]*|---[ \t]*)?\r?\n)*[ \t]*(?:#[^\n]*|---[ \t]*)?$`)
	})
)

// Takes reports whether a file is of NVUE: its beginning says so, whatever it is called, or its name does, unless it is JSON of
// something else.
func Takes(f lint.File) bool {
	head := f.Head(headSize)
	object := bytes.HasPrefix(bytes.TrimLeft(head, " \t\r\n"), []byte("{"))
	return f.Why == "" && (nvueList().Match(head) || nvueObject().Match(head) || nvueCommands().Match(head) ||
		lint.Named(f.Name, nvueFile) && !object)
}

// judgeAll judges files, one by one.
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

// Judge judges a file that [Takes] accepts by its release, or reports that it is not judged.
func Judge(f lint.File) (t lint.Taken, found diag.List) {
	head := f.Head(headSize)
	switch {
	case nvueCommands().Match(head):
		topicNVUE.Warnf(&found, f.Top(), "%s holds commands of NVUE (nv set), and what a switch has after them depends on what it had "+
			"before. rocec judges the whole tree: give it /etc/nvue.d/startup.yaml of the switch, or what `nv config show -o yaml` prints "+
			"there.", diag.Escape(f.Name))
		return lint.Taken{Dialect: "commands of NVUE", Why: "it holds commands (nv set), which are no whole configuration"}, found
	case len(f.Data) == len(head) && nothing().Match(head):
		return lint.Taken{Dialect: "configuration of NVUE", Why: lint.Empty}, diag.List{Empty(f.Name)}
	}
	at, release, other := f.Top(), "", ""
	cfg, err := grammar.Read(f.Data)
	if m := nvueVersion().FindSubmatchIndex(f.Data); m != nil {
		release = strings.TrimPrefix(string(f.Data[m[2]:m[3]]), "Cumulus Linux ")
		start := bytes.LastIndexByte(f.Data[:m[2]], '\n') + 1
		at = f.Span(bytes.Count(f.Data[:m[2]], []byte("\n"))+1, start, m[2], m[3])
	} else if err == nil {
		if v := cfg.Header.Get("version"); v.IsScalar() {
			other = v.Value
		}
	}
	t.Dialect = "configuration of NVUE"
	rel, known := Judged(release)
	switch {
	case known:
		t.Dialect += " of Cumulus Linux " + release
		found = Check(f.Name, f.Data, rel)
	case release == "" && other == "":
		known = true
		found, rel = Unstated(f.Name, f.Data)
		t.Dialect += fmt.Sprintf(", no release stated, judged as %d.%d", rel[0], rel[1])
	}
	if known {
		if err != nil {
			t.Why = lint.Unread
		} else if t.Why = Unjudged(cfg); t.Why != "" {
			found = append(found, lint.NotJudged(f.Name, t.Why, "Give rocec the tree that `nv config show -o yaml` prints on the switch."))
		}
		t.Plain = t.Why == "" && Plain(cfg)
		return t, found
	}
	states := "is of Cumulus Linux " + release
	if release == "" {
		states = "is of " + diag.Escape(other)
	}
	t.Why = "it " + states + ", whose paths rocec does not know"
	qos := "It sets nothing below qos."
	if nvueQoS().Match(f.Data) {
		qos = "It sets qos, and none of that is looked at."
	}
	topicNVUE.Warnf(&found, at, "%s is a configuration of NVUE and %s. rocec knows the paths of %d.%d to %d.%d. %s Give it "+
		"qos_features.conf and qos_infra.conf of the switch, which NVUE writes.", diag.Escape(f.Name), states, grammar.First[0],
		grammar.First[1], grammar.Newest[0], grammar.Newest[1], qos)
	return t, found
}
