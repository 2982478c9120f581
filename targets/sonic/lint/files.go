package lint

import (
	"bytes"
	"regexp"
	"slices"
	"strconv"
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
}

// takes reports whether a file is a configuration of SONiC: by its name, or since it is an object of JSON, which no file of another
// system is but those that NVUE's linter takes.
func takes(f lint.File) bool {
	return f.Why == "" && (lint.Named(f.Name, configFile) || bytes.HasPrefix(bytes.TrimLeft(f.Head(4<<10), " \t\r\n"), []byte("{")))
}

// statedRelease is the place where a configuration names the release that it was migrated to.
var statedRelease = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`"VERSION"\s*:\s*"version_([0-9]{6})_`) })

// judgeAll judges files by their releases; one that states none by the newest.
func judgeAll(files []lint.File) (r lint.Result) {
	for _, f := range files {
		one := Judge(f.Name, f.Data, 0)
		if r.Diagnostics = append(r.Diagnostics, one.Diagnostics...); one.Silent {
			r.Diagnostics = append(r.Diagnostics, lint.NotJudged(f.Name, one.Why,
				"Give rocec /etc/sonic/config_db.json of the switch, or the output of `sonic-cfggen -d --print-data` there."))
		}
		dialect := "config_db.json of SONiC, by the models of " + grammar.Newest.String()
		if m := statedRelease().FindSubmatch(f.Data); m != nil {
			n, _ := strconv.Atoi(string(m[1])) // six digits
			if slices.Contains(grammar.Releases, grammar.Release(n)) {
				dialect = "config_db.json of SONiC " + string(m[1])
			}
		}
		r.Files = append(r.Files, lint.Taken{Dialect: dialect, Why: one.Why, Plain: one.Plain})
	}
	return r
}
