package lint

import (
	"bytes"
	"regexp"
	"strings"
	"sync"

	"github.com/rocec/rocec/targets/sonic/grammar"
	"github.com/rocec/rocec/targets/sonic/read"
	"github.com/rocec/rocec/targets/target/lint"
)

// configFile is the base name of the file that SONiC loads at boot.
const configFile = "config_db.json"

// patchFile is the base name of the patch that rocec builds. It has the same settings as the config_db.json in the same folder.
const patchFile = "config_db.patch.json"

// Linter checks configurations of SONiC.
var Linter = &lint.Linter{
	Names:    []string{configFile},
	Also:     []string{patchFile},
	Same:     [2]string{patchFile, configFile},
	Ends:     []string{".json", ".txt", ".log"},
	Begins:   begins,
	Takes:    takes,
	Most:     grammar.MaxSize,
	PastMark: true,
	Check:    judgeAll,
	Rules:    Topics,
	Shows:    map[string]string{"": "sonic-cfggen -d --print-data"},
	Former: [][2]string{
		{"conf-sonic-buffers", "conf-headroom"},
		{"conf-sonic-map", "conf-pfc-unreachable"},
		{"conf-sonic-queue", "conf-pools"},
		{"conf-sonic-marking", "conf-ecn-thresholds"},
		{"conf-sonic-marking", "conf-red-lossless"},
		{"conf-sonic-marking", "conf-unmarked"},
	},
}

// takes reports whether a file is a configuration of SONiC: by its name, or by its beginning. The beginning is a JSON object, a list of
// objects with tables of CONFIG_DB, or a row of such a table. Among files of other systems, only some of NVUE's begin with an object.
func takes(f lint.File) bool {
	if f.Why != "" {
		return false
	}
	head := f.Head(64 << 10)
	return lint.Named(f.Name, configFile) || mayBegin(head) && beginning().Match(head) || isPatch(f)
}

// mayBegin reports whether a file can be SONiC's by its first byte after blanks and lines of comments. For most files of other systems
// the regular expression then need not run.
func mayBegin(head []byte) bool {
	for {
		head = bytes.TrimLeft(head, " \t\r\n\f\v")
		switch {
		case len(head) == 0:
			return false
		case head[0] == '#' || bytes.HasPrefix(head, []byte("//")):
			_, head, _ = bytes.Cut(head, []byte("\n"))
		default:
			return head[0] == '{' || head[0] == '[' || head[0] == '/' || 'A' <= head[0] && head[0] <= 'Z'
		}
	}
}

// begins reports whether a file of any name is SONiC's: its beginning has a table of QoS, buffers or ports.
func begins(f lint.File) bool {
	if !takes(f) {
		return false
	}
	head := f.Head(64 << 10)
	for _, t := range grammar.Tables {
		for _, key := range []string{`"` + t.Name + `"`, `"` + t.Name + `|`, `"` + t.Name + `_TABLE:`, `"/` + t.Name + `/`, "\n" + t.Name + "|"} {
			if bytes.Contains(head, []byte(key)) {
				return true
			}
		}
	}
	return bytes.HasPrefix(head, []byte("PORT|"))
}

// isPatch reports whether a file is a JSON patch of tables of CONFIG_DB, such as rocec builds and GCU applies.
func isPatch(f lint.File) bool {
	head := f.Head(64 << 10)
	_, path, ok := bytes.Cut(head, []byte(`"/`))
	return read.IsPatch(head) && ok && len(path) > 0 && path[0] >= 'A' && path[0] <= 'Z'
}

// beginning matches the beginning of a file of SONiC: an object after comments, a row, or a list of objects with a table of CONFIG_DB.
var beginning = sync.OnceValue(func() *regexp.Regexp {
	var tables []string
	for _, t := range grammar.Tables {
		tables = append(tables, t.Name)
	}
	names := "(?:" + strings.Join(tables, "|") + ")"
	return regexp.MustCompile(`^(?:\s|(?:#|//)[^\n]*\n|/\*(?:[^*]|\*+[^*/])*\*+/)*\{` +
		`|^\s*(?:[A-Z][A-Z0-9_]*\|[^\n]*\n)*` + names + `\|[^ \n]+ [^ \n]+ ["\[]` +
		`|^\s*\[(?s:.*)"` + names + `(?:"|(?:_TABLE:|\|)[^"\n]*")\s*:\s*\{`)
})

// judgeAll checks each file by the models of its release. A file without a release is checked by the newest.
func judgeAll(files []lint.File) (r lint.Result) {
	for _, f := range files {
		var known grammar.Release
		if v, err := grammar.ParseVersion(f.Release); f.Release != "" && err == nil {
			known = v.Release
		}
		one := Judge(f.Name, f.Data, 0, known)
		if r.Diagnostics = append(r.Diagnostics, one.Diagnostics...); one.Silent {
			r.Diagnostics = append(r.Diagnostics, lint.NotJudged(f.Name, one.Why,
				"Give rocec /etc/sonic/config_db.json of the switch, or the output of `sonic-cfggen -d --print-data` there."))
		}
		r.Files = append(r.Files, lint.Taken{Dialect: one.Dialect, Why: one.Why, Plain: one.Plain})
	}
	return r
}
