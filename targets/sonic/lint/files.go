package lint

import (
	"regexp"
	"strings"
	"sync"

	"github.com/rocec/rocec/targets/sonic/grammar"
	"github.com/rocec/rocec/targets/target/lint"
)

// configFile is the base name of the file that SONiC loads at boot.
const configFile = "config_db.json"

// Linter judges configurations of SONiC.
var Linter = &lint.Linter{
	Names:    []string{configFile},
	Takes:    takes,
	Most:     grammar.MaxSize,
	PastMark: true,
	Check:    judgeAll,
	Rules:    Topics,
	Former: [][2]string{
		{"conf-sonic-buffers", "conf-headroom"},
		{"conf-sonic-map", "conf-pfc-unreachable"},
		{"conf-sonic-marking", "conf-ecn-thresholds"},
		{"conf-sonic-marking", "conf-red-lossless"},
		{"conf-sonic-marking", "conf-unmarked"},
	},
}

// takes reports whether a file is a configuration of SONiC: by its name, or by its beginning. That is an object of JSON, which no file of
// another system is but those that NVUE's linter takes, a list of objects with tables of CONFIG_DB, or a row of such a table.
func takes(f lint.File) bool {
	if f.Why != "" {
		return false
	}
	return lint.Named(f.Name, configFile) || beginning().Match(f.Head(64<<10))
}

// beginning recognises the beginning of a file of SONiC: an object behind comments, a row, or a list of objects with a table of CONFIG_DB.
var beginning = sync.OnceValue(func() *regexp.Regexp {
	var tables []string
	for _, t := range grammar.Tables {
		tables = append(tables, t.Name)
	}
	names := "(?:" + strings.Join(tables, "|") + ")"
	return regexp.MustCompile(`^(?:\s|(?:#|//)[^\n]*\n|/\*(?:[^*]|\*+[^*/])*\*+/)*\{` +
		`|^\s*` + names + `\|[^ \n]+ [^ \n]+ ["\[]` +
		`|^\s*\[(?s:.*)"` + names + `(?:"|(?:_TABLE:|\|)[^"\n]*")\s*:\s*\{`)
})

// judgeAll judges files by their releases; one that states none by the newest.
func judgeAll(files []lint.File) (r lint.Result) {
	for _, f := range files {
		one := Judge(f.Name, f.Data, 0)
		if r.Diagnostics = append(r.Diagnostics, one.Diagnostics...); one.Silent {
			r.Diagnostics = append(r.Diagnostics, lint.NotJudged(f.Name, one.Why,
				"Give rocec /etc/sonic/config_db.json of the switch, or the output of `sonic-cfggen -d --print-data` there."))
		}
		r.Files = append(r.Files, lint.Taken{Dialect: one.Dialect, Why: one.Why, Plain: one.Plain})
	}
	return r
}
