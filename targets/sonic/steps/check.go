package steps

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// mostStages is the largest size of stages, in bytes. Those for all ports of the largest switch have less than half.
const mostStages = 4 << 20

// Tables lists the tables that rocec's patches change.
var Tables = []string{
	"BUFFER_PG", "BUFFER_PROFILE", "BUFFER_QUEUE", "CABLE_LENGTH", "DOT1P_TO_TC_MAP", "DSCP_TO_TC_MAP", "MAP_PFC_PRIORITY_TO_QUEUE", "PFC_WD",
	"PFC_PRIORITY_TO_PRIORITY_GROUP_MAP", "PORT_QOS_MAP", "QUEUE", "SCHEDULER", "TC_TO_PRIORITY_GROUP_MAP", "TC_TO_QUEUE_MAP", "WRED_PROFILE",
}

// A row has a key and an object of texts. The script of a patch puts both into JSON as they are, and the key into a JSON pointer, so that
// neither may have a quote, a backslash, "/" in a key, or "~". The script also compares keys, and separates fields by tabs.
const (
	aKey    = `[A-Za-z0-9][A-Za-z0-9_.,-]{0,127}(?:\|[0-9]{1,2}(?:-[0-9]{1,2})?)?`
	aMember = `"([A-Za-z0-9][A-Za-z0-9_-]{0,63})": "[A-Za-z0-9_.,:|/\[\]+-]*"`
)

var (
	rowForm    = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\A([A-Z0-9_]+)\t(` + aKey + `)\t(-|\{.*\})\z`) })
	memberForm = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\A` + aMember + `\z`) })
)

// Check returns nil for stages that rocec could have made between two configurations with the SHA-256 base and goal: two lines with both,
// and lines of stages, first all that change and then all that go back. A stage has rows of [Tables], in the order of the tables, and lines
// of a script of rocec's. The stages come from outside, so any other line is an error.
func Check(base, goal string, stages []byte) error {
	if len(stages) > mostStages {
		return errors.New("the stages are larger than 4 MiB")
	}
	rest, ok := strings.CutPrefix(string(stages), base+"\n"+goal+"\n")
	if !ok {
		return errors.New("the stages were not made for the configurations of their name")
	}
	c := checker{}
	for n := 3; rest != ""; n++ {
		line, more, ended := strings.Cut(rest, "\n")
		if !ended {
			return fmt.Errorf("line %d of the stages has no end", n)
		}
		if err := c.line(line); err != nil {
			return fmt.Errorf("line %d of the stages: %w", n, err)
		}
		rest = more
	}
	return c.end()
}

// checker reads stages line by line.
type checker struct {
	begun, back bool
	table       string          // of the last row
	rows        map[string]bool // of the stage, by table and key
	script      strings.Builder
}

var errLine = errors.New("it is not in the form that rocec writes")

func (c *checker) line(line string) error {
	switch {
	case line == stageForth && !c.back, line == stageBack:
		err := c.end()
		*c = checker{begun: true, back: line == stageBack, rows: map[string]bool{}}
		return err
	case !c.begun:
		return errLine
	}
	if row, ok := strings.CutPrefix(line, ofRow); ok {
		return c.row(row)
	}
	if text, ok := strings.CutPrefix(line, ofScript); ok {
		c.script.WriteString(text + "\n")
		return nil
	}
	return errLine
}

// row checks a row. Rows of a table are adjacent, and come before the script.
func (c *checker) row(row string) error {
	m := rowForm().FindStringSubmatch(row)
	switch {
	case m == nil:
		return errLine
	case !slices.Contains(Tables, m[1]):
		return errors.New("rocec changes no such table")
	case m[1] < c.table || c.rows[m[1]+"|"+m[2]] || c.script.Len() > 0:
		return errors.New("it is not in rocec's order")
	case m[3] != "-" && !isObject(m[3]):
		return errLine
	}
	c.table, c.rows[m[1]+"|"+m[2]] = m[1], true
	return nil
}

// isObject reports whether a text is a JSON object of texts, each name once, as rocec writes it.
func isObject(text string) bool {
	inner := text[1 : len(text)-1]
	if inner == "" {
		return true
	}
	names := map[string]bool{}
	for member := range strings.SplitSeq(inner, `, "`) {
		if len(names) > 0 {
			member = `"` + member
		}
		m := memberForm().FindStringSubmatch(member)
		if m == nil || names[m[1]] {
			return false
		}
		names[m[1]] = true
	}
	return true
}

// end checks the end of a stage.
func (c *checker) end() error {
	if c.script.Len() == 0 {
		return nil
	}
	return checkScript(c.script.String())
}
