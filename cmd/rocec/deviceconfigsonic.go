package main

import (
	"bytes"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/rocec/rocec/targets/cumulus/conflint"
	"github.com/rocec/rocec/targets/sonic/grammar"
	"github.com/rocec/rocec/targets/sonic/lint"
)

// sonicFile is the base name of the file that SONiC loads at boot.
const sonicFile = "config_db.json"

// byteOrderMark is what some editors begin a file in UTF-8 with.
const byteOrderMark = "\xef\xbb\xbf"

// namedSONiC reports whether a file has that name, or is a copy named after its switch.
func namedSONiC(name string) bool {
	rest, ok := strings.CutSuffix(path.Base(name), sonicFile)
	return ok && (rest == "" || strings.ContainsAny(rest[len(rest)-1:], "-_."))
}

// isSONiC reports whether a file is a configuration of SONiC: by its name, or since it is an object of JSON, which no other file of a
// switch is.
func isSONiC(f conflint.File) bool {
	if f.Why != "" {
		return false
	}
	head := bytes.TrimLeft(bytes.TrimPrefix(f.Data[:min(len(f.Data), 4<<10)], []byte(byteOrderMark)), " \t\r\n")
	return namedSONiC(f.Name) || bytes.HasPrefix(head, []byte("{"))
}

// sonicRelease is where a configuration names the release that it was migrated to.
var sonicRelease = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`"VERSION"\s*:\s*"version_([0-9]{6})_`) })

// checkSONiC judges such files by their releases; one that states none by the newest.
func checkSONiC(files []conflint.File) (r conflint.Lint) {
	for _, f := range files {
		one := lint.Judge(f.Name, f.Data, 0)
		if r.Diagnostics = append(r.Diagnostics, one.Diagnostics...); one.Silent {
			r.Diagnostics = append(r.Diagnostics, conflint.NotJudged(f.Name, one.Why,
				"Give rocec /etc/sonic/config_db.json of the switch, or the output of `sonic-cfggen -d --print-data` there."))
		}
		dialect := "config_db.json of SONiC, by the models of " + grammar.Newest.String()
		if m := sonicRelease().FindSubmatch(f.Data); m != nil {
			n, _ := strconv.Atoi(string(m[1])) // six digits
			if slices.Contains(grammar.Releases, grammar.Release(n)) {
				dialect = "config_db.json of SONiC " + string(m[1])
			}
		}
		r.Files = append(r.Files, conflint.Taken{Dialect: dialect, Why: one.Why, Plain: one.Plain})
	}
	return r
}
