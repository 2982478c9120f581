package conflint

import (
	"bytes"
	"fmt"
	"path"
	"regexp"
	"strings"
	"sync"

	"github.com/rocec/rocec/lang/diag"
	paths "github.com/rocec/rocec/targets/nvue/grammar"
	"github.com/rocec/rocec/targets/nvue/lint"
)

// nvueFile is the base name of the file that NVUE of Cumulus Linux 5.x applies at boot.
const nvueFile = "startup.yaml"

// MaxNVUE is the size of the largest configuration of NVUE that is judged.
const MaxNVUE = paths.MaxSize

// namedNVUE reports whether a file has that name, or is a copy named after its switch.
func namedNVUE(name string) bool {
	rest, ok := strings.CutSuffix(path.Base(name), nvueFile)
	return ok && (rest == "" || strings.ContainsAny(rest[len(rest)-1:], "-_."))
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

// IsNVUE reports whether a file is of NVUE: its beginning says so, whatever it is called, or its name does, unless it is JSON of
// something else.
func IsNVUE(f File) bool {
	head := nvueHead(f)
	object := bytes.HasPrefix(bytes.TrimLeft(head, " \t\r\n"), []byte("{"))
	return f.Why == "" && (nvueList().Match(head) || nvueObject().Match(head) || nvueCommands().Match(head) || namedNVUE(f.Name) && !object)
}

// nvueHead is the part of a file that says what it is.
func nvueHead(f File) []byte {
	return bytes.TrimPrefix(f.Data[:min(len(f.Data), 64<<10)], []byte("\xef\xbb\xbf"))
}

// nvue judges such a file by its release, or says that it is not judged.
func (r *Lint) nvue(i int, f File) {
	s, u := &source{File: f}, &unit{}
	defer func() { r.take(u) }()
	at := s.top()
	head := nvueHead(f)
	switch {
	case nvueCommands().Match(head):
		r.Files[i] = Taken{Dialect: "commands of NVUE", Why: "it holds commands (nv set), which are no whole configuration"}
		u.warnf(&topicNVUE, at, "%s holds commands of NVUE (nv set), and what a switch has after them depends on what it had before. rocec "+
			"judges the whole tree: give it /etc/nvue.d/startup.yaml of the switch, or what `nv config show -o yaml` prints there.",
			diag.Escape(f.Name))
		return
	case len(f.Data) == len(head) && nothing().Match(head):
		r.Files[i] = Taken{Dialect: "configuration of NVUE", Why: empty}
		r.Diagnostics = append(r.Diagnostics, lint.Empty(f.Name))
		return
	}
	release, other := "", ""
	cfg, err := paths.Read(f.Data)
	if m := nvueVersion().FindSubmatchIndex(f.Data); m != nil {
		release = strings.TrimPrefix(string(f.Data[m[2]:m[3]]), "Cumulus Linux ")
		start := bytes.LastIndexByte(f.Data[:m[2]], '\n') + 1
		at = s.span(bytes.Count(f.Data[:m[2]], []byte("\n"))+1, start, m[2], m[3])
	} else if err == nil {
		if v := cfg.Header.Get("version"); v.IsScalar() {
			other = v.Value
		}
	}
	t := &r.Files[i]
	t.Dialect = "configuration of NVUE"
	var ds diag.List
	rel, known := lint.Judged(release)
	switch {
	case known:
		t.Dialect += " of Cumulus Linux " + release
		ds = lint.Check(f.Name, f.Data, rel)
	case release == "" && other == "":
		known = true
		ds, rel = lint.Unstated(f.Name, f.Data)
		t.Dialect += fmt.Sprintf(", no release stated, judged as %d.%d", rel[0], rel[1])
	}
	if known {
		if err != nil {
			t.Why = unread
		} else if t.Why = lint.Unjudged(cfg); t.Why != "" {
			ds = append(ds, NotJudged(f.Name, t.Why, "Give rocec the tree that `nv config show -o yaml` prints on the switch."))
		}
		t.Plain = t.Why == "" && lint.Plain(cfg)
		r.Diagnostics = append(r.Diagnostics, ds...)
		return
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
	u.warnf(&topicNVUE, at, "%s is a configuration of NVUE and %s. rocec knows the paths of %d.%d to %d.%d. %s Give it "+
		"qos_features.conf and qos_infra.conf of the switch, which NVUE writes.", diag.Escape(f.Name), states, paths.First[0], paths.First[1],
		paths.Newest[0], paths.Newest[1], qos)
}
