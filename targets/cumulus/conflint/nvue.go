package conflint

import (
	"bytes"
	"path"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/rocec/rocec/lang/diag"
	paths "github.com/rocec/rocec/targets/nvue/grammar"
	"github.com/rocec/rocec/targets/nvue/lint"
)

// nvueFile is the base name of the file that NVUE of Cumulus Linux 5.x applies at boot.
const nvueFile = "startup.yaml"

// namedNVUE reports whether a file has that name, or is a copy named after its switch.
func namedNVUE(name string) bool {
	rest, ok := strings.CutSuffix(path.Base(name), nvueFile)
	return ok && (rest == "" || strings.ContainsAny(rest[len(rest)-1:], "-_."))
}

// What NVUE's file begins with, in YAML or as JSON, and where it names the release.
var (
	nvueBegins  = regexp.MustCompile(`^(?:(?:[ \t]*(?:#[^\n]*|---[ \t]*)?\r?\n)*-[ \t]+(?:header|set|unset):|\s*\[\s*\{\s*"(?:header|set|unset)"\s*:)`)
	nvueVersion = regexp.MustCompile(`(?m)(?:^[ \t]+version:[ \t]*["']?|"version"[ \t]*:[ \t]*")(Cumulus Linux [0-9.]{1,16})`)
	nvueQoS     = regexp.MustCompile(`(?m)(?:^[ \t]+qos:|"qos"[ \t]*:)`)
)

// isNVUE reports whether a file is a configuration of NVUE: a list, in YAML or JSON, of a header and what is set. The name alone does not make one.
func isNVUE(f File) bool {
	head := f.Data[:min(len(f.Data), 64<<10)]
	return f.Why == "" && len(f.Data) <= MaxFile && utf8.Valid(f.Data) && nvueBegins.Match(head)
}

// nvue judges such a file by its release, or says that it is not judged.
func (r *Lint) nvue(i int, f File) {
	s, u := &source{File: f}, &unit{}
	release := ""
	at := s.top()
	if m := nvueVersion.FindSubmatchIndex(f.Data); m != nil {
		release = strings.TrimPrefix(string(f.Data[m[2]:m[3]]), "Cumulus Linux ")
		start := bytes.LastIndexByte(f.Data[:m[2]], '\n') + 1
		at = s.span(bytes.Count(f.Data[:m[2]], []byte("\n"))+1, start, m[2], m[3])
	}
	if rel, ok := lint.Judged(release); ok {
		r.Dialects[i] = "configuration of NVUE of Cumulus Linux " + release
		r.Diagnostics = append(r.Diagnostics, lint.Check(f.Name, f.Data, rel)...)
		return
	}
	r.Dialects[i] = "configuration of NVUE, which is not judged"
	states := "states no release"
	if release != "" {
		states = "is of Cumulus Linux " + release
	}
	qos := "It sets nothing below qos."
	if nvueQoS.Match(f.Data) {
		qos = "It sets qos, and none of that is looked at."
	}
	u.warnf(&topicNVUE, at, "%s is a configuration of NVUE and %s. rocec knows the paths of %d.%d to %d.%d. %s Give it "+
		"qos_features.conf and qos_infra.conf of the switch, which NVUE writes.", diag.Escape(f.Name), states, paths.First[0], paths.First[1],
		paths.Newest[0], paths.Newest[1], qos)
	r.take(u)
}
