package targets

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/target/lint"
)

// The limits of a table: the lines in which its head is searched, and the columns that a message names.
const (
	mostHead    = 50
	mostColumns = 6
)

// shownTable returns the columns of a table that a show command of a switch printed: a line of names above a line of dashes, with one run
// of dashes for each column. Nil: the text does not begin with such a table.
func shownTable(text []byte) (columns []string) {
	head, n := "", 0
	for line := range bytes.Lines(text[:min(len(text), 64<<10)]) {
		if n++; n > mostHead {
			return nil
		}
		runs := strings.Fields(string(line))
		if len(runs) > 1 && !slices.ContainsFunc(runs, func(run string) bool { return strings.Trim(run, "-") != "" }) && head != "" {
			for part := range strings.SplitSeq(head, "  ") {
				if name := strings.TrimSpace(part); name != "" {
					columns = append(columns, name)
				}
			}
			return columns
		}
		if head = strings.TrimRight(string(line), " \t\r\n"); strings.Contains(strings.Trim(head, "= "), "=") {
			return nil // a setting
		}
	}
	return nil
}

// isTable reports whether no linter accepts a file by its form or its name, and a show command printed it.
func isTable(j *judging, f lint.File) bool {
	return f.Why == "" && !j.linters.Knows(f.Name) && j.linters.Of(f).Takes == nil && shownTable(f.Data) != nil
}

// reportTable reports a table of a show command, and names the commands that print a configuration.
func reportTable(j *judging, i int) {
	f := j.files[i]
	columns := shownTable(f.Data)
	named := make([]string, min(len(columns), mostColumns))
	for k := range named {
		named[k] = diag.Cut(columns[k])
	}
	if more := len(columns) - len(named); more > 0 {
		named = append(named, fmt.Sprintf("%d more", more))
	}
	why := fmt.Sprintf("it is a table of a show command, with the columns %s, and no configuration", diag.And(named))
	j.taken[i] = lint.Taken{Dialect: "a table of a show command", Why: why, Brief: "it is a table of a show command"}
	j.found = append(j.found, lint.NotJudged(f.Name, why, "rocec does not read such a table. On Cumulus Linux give it what `nv config show`, "+
		"`nv config show -o commands` or `nv config show -o json` prints, on SONiC /etc/sonic/config_db.json."))
}
