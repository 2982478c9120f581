package steps_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/targets/commands"
	"github.com/rocec/rocec/targets/sonic/grammar"
	"github.com/rocec/rocec/targets/sonic/steps"
)

var base, goal = commands.Sum([]byte("before")), commands.Sum([]byte("after"))

// script returns a script as lines of a stage.
func script(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		b.WriteString("sh\t" + line)
	}
	return b.String()
}

// change has every form of a line.
var change = "stage\tforth\n" +
	"row\tBUFFER_PG\tEthernet0|3-4\t{\"profile\": \"pg_lossless_100000_5m_profile\"}\n" +
	"row\tDSCP_TO_TC_MAP\tAZURE\t{\"0\": \"0\", \"26\": \"3\"}\n" +
	"row\tPFC_WD\tGLOBAL\t{\"POLL_INTERVAL\": \"200\"}\n" +
	"row\tPORT_QOS_MAP\tEthernet0\t{\"dscp_to_tc_map\": \"[DSCP_TO_TC_MAP|AZURE]\", \"pfc_enable\": \"\"}\n" +
	"row\tQUEUE\tEthernet0|3\t-\n" +
	"row\tSCHEDULER\trocec-1\t{}\n" +
	"stage\tforth\n" + script(`ecnconfig -p AZURE_LOSSLESS -gmin 1000 -gmax 2000 -gdrop 5 || exit
pfcwd stop Ethernet0 Ethernet4 || exit
pfcwd interval 200 || exit
pfcwd start --action drop Ethernet0 Ethernet4 400 --restoration-time 400 || exit
sonic-db-cli CONFIG_DB DEL 'PFC_WD|GLOBAL' || exit
config interface shutdown Ethernet0 || exit
config interface startup Ethernet0 || exit
`) + "stage\tforth\n" + script(steps.DropScript+"drop Ethernet0 3 5-6 || exit\ndrop Ethernet4 || exit\n"+steps.AgainScript) +
	"stage\tback\nrow\tQUEUE\tEthernet0|3\t{\"scheduler\": \"scheduler.1\"}\n"

func both(stages string) string { return base + "\n" + goal + "\n" + stages }

// TestPatch: the stages of a step are the input of the step and of its undo, and stay as they are.
func TestPatch(t *testing.T) {
	words := []string{"patch", "202505", "nvidia", base, goal}
	made, err := steps.Recall(words, []byte(both(change)))
	require.NoError(t, err)
	require.Equal(t, "sonic "+strings.Join(words, " "), made.Name())
	require.Equal(t, both(change), made.Step.Stdin)
	require.Equal(t, both(change), string(made.Step.Undo.Stdin))
	require.Equal(t, 4*steps.StageTime, made.Step.Timeout)
	_, err = steps.Recall(words, []byte(both("")))
	require.NoError(t, err, "nothing differs")
	for _, words := range [][]string{{"patch"}, {"rows"}} {
		made, err := steps.Recall(words, []byte("rm -rf /"))
		require.NoError(t, err)
		require.Equal(t, "sonic "+words[0], made.Name())
	}
	for _, words := range [][]string{
		nil,
		{""},
		{"rows", ""},
		{"patch", "202505", "nvidia", base},
		{"patch", "202505", "nvidia", base, "absent"},
		{"patch", "202505", "nvidia", "absent", goal},
		{"patch", "202505", "nvidia", base, strings.ToUpper(goal)},
		{"patch", "$(reboot)", "nvidia", base, goal},
		{"patch", "202505", "a;b", base, goal},
		{"patch", "202505", "nvidia", base + "\nx", goal},
	} {
		_, err := steps.Recall(words, []byte(both(change)))
		require.ErrorAs(t, err, new(*commands.Unknown), "%q", words)
	}
	require.Error(t, steps.File("/etc/sonic/config_db.json", nil))
}

// TestTables: the tables are those that rocec writes.
func TestTables(t *testing.T) {
	var ours []string
	for _, table := range grammar.Tables {
		if table.Ours {
			ours = append(ours, table.Name)
		}
	}
	require.ElementsMatch(t, ours, steps.Tables)
}

// TestHostileStages: stages that rocec does not make are refused.
func TestHostileStages(t *testing.T) {
	row := func(text string) string { return "stage\tforth\nrow\t" + text + "\n" }
	sh := func(lines ...string) string { return "stage\tforth\n" + script(strings.Join(lines, "\n")+"\n") }
	for name, text := range map[string]string{
		"another table":            row("MGMT_INTERFACE\teth0\t{}"),
		"a table of users":         row("LOCAL_USERS\tx\t{}"),
		"a port":                   row("PORT\tEthernet0\t{\"admin_status\": \"down\"}"),
		"no table":                 row("\tEthernet0\t{}"),
		"a table in small letters": row("queue\tEthernet0|3\t{}"),
		"a key with a path":        row("QUEUE\t../PORT/Ethernet0\t-"),
		"a key with a tilde":       row("QUEUE\tEthernet0~1x\t-"),
		"a key with a quote":       row("QUEUE\tx\", \"y\t-"),
		"a key with a backslash":   row("QUEUE\ta\\\\b\t-"),
		"a key with a pattern":     row("QUEUE\t*\t-"),
		"a key with a command":     row("QUEUE\t$(reboot)\t-"),
		"a key with a blank":       row("QUEUE\tEthernet0 x\t-"),
		"a key of two bars":        row("QUEUE\tleaf1|asic0|3\t-"),
		"a key like nothing":       row("QUEUE\t-\t-"),
		"no key":                   row("QUEUE\t\t-"),
		"no row":                   row("QUEUE\tEthernet0|3\t"),
		"no fields":                row("QUEUE\tEthernet0|3"),
		"another field":            row("QUEUE\tEthernet0|3\t-\tx"),
		"a tab in a row":           row("QUEUE\tEthernet0|3\t{\"a\":\t\"b\"}"),
		"two tabs":                 row("QUEUE\t\tEthernet0|3\t-"),
		"a list":                   row("QUEUE\tEthernet0|3\t[]"),
		"a list in a row":          row("QUEUE\tEthernet0|3\t{\"a\": [\"b\"]}"),
		"a number":                 row("QUEUE\tEthernet0|3\t{\"a\": 1}"),
		"a row in a row":           row("QUEUE\tEthernet0|3\t{\"a\": {}}"),
		"a field twice":            row("QUEUE\tEthernet0|3\t{\"a\": \"b\", \"a\": \"c\"}"),
		"two rows":                 row("QUEUE\tEthernet0|3\t{}, \"op\": {}"),
		"another operation":        row("QUEUE\tEthernet0|3\t{}}, {\"op\": \"remove\", \"path\": \"/PORT\"}"),
		"JSON with an escape":      row(`QUEUE` + "\tEthernet0|3\t" + `{"a": "\u0022"}`),
		"JSON with a command":      row("QUEUE\tEthernet0|3\t{\"a\": \"$(reboot)\"}"),
		"JSON with a quote":        row("QUEUE\tEthernet0|3\t{\"a\": \"'\"}"),
		"JSON with blanks":         row("QUEUE\tEthernet0|3\t{ \"a\": \"b\"}"),
		"JSON without blanks":      row("QUEUE\tEthernet0|3\t{\"a\":\"b\"}"),
		"JSON with a comma":        row("QUEUE\tEthernet0|3\t{\"a\": \"b\", }"),
		"a field without a name":   row("QUEUE\tEthernet0|3\t{\"\": \"b\"}"),
		"other letters":            row("QUEUE\tEthernet0|3\t{\"a\": \"ä\"}"),
		"an escape of a terminal":  row("QUEUE\tEthernet0|3\t{\"a\": \"\x1b[2J\"}"),
		"NUL":                      row("QUEUE\tEthernet0|3\t{\"a\": \"\x00\"}"),
		"CRLF":                     "stage\tforth\r\nrow\tQUEUE\tEthernet0|3\t-\r\n",
		"a row before a stage":     "row\tQUEUE\tEthernet0|3\t-\n",
		"a script before a stage":  "sh\tpfcwd interval 200 || exit\n",
		"a row twice":              row("QUEUE\tEthernet0|3\t-") + "row\tQUEUE\tEthernet0|3\t{}\n",
		"tables in another order":  row("QUEUE\tEthernet0|3\t-") + "row\tBUFFER_PG\tEthernet0|3\t-\n",
		"a row after a script":     sh("pfcwd interval 200 || exit") + "row\tQUEUE\tEthernet0|3\t-\n",
		"forth after back":         "stage\tback\n" + row("QUEUE\tEthernet0|3\t-"),
		"another stage":            "stage\tsideways\n",
		"a stage with blanks":      "stage forth\n",
		"a stage with more":        "stage\tforth\tx\n",
		"a line without a kind":    "stage\tforth\nreboot\n",
		"an empty line":            "stage\tforth\n\n",
		"no end":                   "stage\tforth",
		"a script without its end": "stage\tforth\nsh\tpfcwd interval 200 || exit",
		"reboot":                   sh("reboot"),
		"reboot || exit":           sh("reboot || exit"),
		"a sequence":               sh("pfcwd interval 200; reboot || exit"),
		"and":                      sh("pfcwd interval 200 && reboot || exit"),
		"or":                       sh("pfcwd interval 200 || reboot || exit"),
		"in the background":        sh("pfcwd interval 200 & reboot || exit"),
		"a pipe":                   sh("pfcwd interval 200 | sh || exit"),
		"a file":                   sh("pfcwd interval 200 >/etc/passwd || exit"),
		"a command in a word":      sh("pfcwd interval $(reboot) || exit"),
		"back quotes":              sh("pfcwd interval `reboot` || exit"),
		"a variable":               sh("pfcwd interval $IFS || exit"),
		"quotes":                   sh("pfcwd interval '200' || exit"),
		"no exit":                  sh("pfcwd interval 200"),
		"a comment":                sh("pfcwd interval 200 # || exit"),
		"two blanks":               sh("pfcwd  interval 200 || exit"),
		"a path":                   sh("/usr/bin/pfcwd interval 200 || exit"),
		"another program":          sh("config save -y || exit"),
		"another verb":             sh("pfcwd start_default || exit"),
		"an option":                sh("pfcwd stop --verbose || exit"),
		"an option as a name":      sh("ecnconfig -p -l || exit"),
		"a pattern":                sh("pfcwd stop Ethernet* || exit"),
		"all ports":                sh("pfcwd stop all || exit"),
		"no port":                  sh("pfcwd stop || exit"),
		"a port in braces":         sh("pfcwd stop Ethernet{0,4} || exit"),
		"another action":           sh("pfcwd start --action reboot Ethernet0 400 --restoration-time 400 || exit"),
		"a port that stays down":   sh("config interface shutdown Ethernet0 || exit"),
		"another port comes up":    sh("config interface shutdown Ethernet0 || exit", "config interface startup Ethernet4 || exit"),
		"a port comes up later": sh("config interface shutdown Ethernet0 || exit", "pfcwd interval 200 || exit",
			"config interface startup Ethernet0 || exit"),
		"only up":               sh("config interface startup Ethernet0 || exit"),
		"eth0 goes down":        sh("config interface shutdown eth0 || exit", "config interface startup eth0 || exit"),
		"another key":           sh("sonic-db-cli CONFIG_DB DEL 'PORT|Ethernet0' || exit"),
		"another database":      sh("sonic-db-cli STATE_DB DEL 'PFC_WD|GLOBAL' || exit"),
		"another operation too": sh("sonic-db-cli CONFIG_DB FLUSHDB || exit"),
		"a key without quotes":  sh("sonic-db-cli CONFIG_DB DEL PFC_WD|GLOBAL || exit"),
		"drop alone":            sh("drop Ethernet0 3 || exit"),
		"drop without its end":  "stage\tforth\n" + script(steps.DropScript+"drop Ethernet0 3 || exit\n"),
		"no drop":               "stage\tforth\n" + script(steps.DropScript+steps.AgainScript),
		"drop of a pattern":     "stage\tforth\n" + script(steps.DropScript+"drop * || exit\n"+steps.AgainScript),
		"drop of a command":     "stage\tforth\n" + script(steps.DropScript+"drop $(reboot) || exit\n"+steps.AgainScript),
		"drop and more":         "stage\tforth\n" + script(steps.DropScript+"drop Ethernet0 3 || exit\nreboot || exit\n"+steps.AgainScript),
		"after drops":           "stage\tforth\n" + script(steps.DropScript+"drop Ethernet0 3 || exit\n"+steps.AgainScript+"reboot\n"),
		"another drop": "stage\tforth\n" + script(strings.Replace(steps.DropScript, "db DEL", "reboot", 1)+"drop Ethernet0 || exit\n"+
			steps.AgainScript),
		"a script in two stages": "stage\tforth\n" + script(steps.DropScript) + "stage\tforth\n" +
			script("drop Ethernet0 3 || exit\n"+steps.AgainScript),
		"10 MB": strings.Repeat(row("QUEUE\tEthernet0|3\t-"), 10<<20/32),
	} {
		assert.Error(t, steps.Check(base, goal, []byte(both(text))), name)
	}
	for name, text := range map[string]string{
		"nothing": "", "no sums": change, "one sum": base + "\n" + change, "no line": base + "\n" + goal, "CRLF": base + "\r\n" + goal + "\r\n",
		"the other way": goal + "\n" + base + "\n" + change, "blanks": " " + both(change), "an empty line": base + "\n\n" + goal + "\n",
	} {
		assert.Error(t, steps.Check(base, goal, []byte(text)), name)
	}
}

// TestLargest: stages may have 4 MiB, and no more.
func TestLargest(t *testing.T) {
	const stage = "stage\tback\nrow\tQUEUE\tEthernet0|3\t-\n"
	most := (4<<20 - len(both(""))) / len(stage)
	require.NoError(t, steps.Check(base, goal, []byte(both(strings.Repeat(stage, most)))))
	require.Error(t, steps.Check(base, goal, []byte(both(strings.Repeat(stage, most+1)))))
}

// TestOneMoreLine: a line of another kind is refused at every place of the stages.
func TestOneMoreLine(t *testing.T) {
	lines := strings.SplitAfter(both(change), "\n")
	for _, more := range []string{
		"\n", "#\n", "sh\treboot\n", "sh\treboot || exit\n", "sh\t\n", "sh\t# x\n", "sh\t$(reboot)\n", "sh\t'\n", "sh\tsleep 2\n", "sh\t}\n",
		"sh\tfi\n", "sh\tdrop() { reboot; }\n", "row\tPORT\tEthernet0\t-\n", "row\tQUEUE\tx\n", "row QUEUE Ethernet0|3 -\n", "stage\tnow\n",
		"\tstage\tforth\n", "x\t\n", "\x00\n", "sh\tconfig interface shutdown Ethernet8 || exit\n",
	} {
		for i := range lines {
			text := strings.Join(slices.Insert(slices.Clone(lines), i, more), "")
			assert.Error(t, steps.Check(base, goal, []byte(text)), "line %d: %q", i, more)
		}
	}
}

// FuzzCheck: for any bytes, each row of accepted stages is JSON of texts, and each line outside of the constant parts of a script has only
// bytes that no shell treats specially, but for the end of the line and one constant word.
func FuzzCheck(f *testing.F) {
	f.Add(change)
	f.Add("stage\tback\nrow\tQUEUE\tEthernet0|3\t-\n")
	f.Fuzz(func(t *testing.T, text string) {
		if steps.Check(base, goal, []byte(both(text))) != nil {
			return
		}
		constant := strings.Split(steps.DropScript+steps.AgainScript, "\n")
		for line := range strings.Lines(text) {
			words := strings.SplitN(strings.TrimSuffix(line, "\n"), "\t", 4)
			switch {
			case words[0] == "row" && words[3] != "-":
				var row map[string]string
				require.NoError(t, json.Unmarshal([]byte(words[3]), &row))
			case words[0] == "sh" && !slices.Contains(constant, strings.TrimPrefix(strings.TrimSuffix(line, "\n"), "sh\t")):
				word, ok := strings.CutSuffix(strings.TrimPrefix(line, "sh\t"), " || exit\n")
				require.True(t, ok)
				word = strings.ReplaceAll(word, "'PFC_WD|GLOBAL'", "")
				require.Empty(t, strings.Trim(word, " abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-"))
			}
		}
	})
}
