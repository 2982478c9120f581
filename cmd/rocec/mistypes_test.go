package main

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
)

// For a mistyped word on the command line, the message of rocec proposes the probable word.
func TestMistyped(t *testing.T) {
	t.Parallel()
	example := filepath.FromSlash("../../examples/rack-v1-pfc")
	file := filepath.Join(example, "fabric.hcl")
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"validate", "--formt", "json", example}, "unknown flag: --formt. Did you mean \"--format\"?\nsee: rocec help validate\n"},
		{[]string{"lab", "exec", "--lob"}, "unknown flag: --lob. Did you mean \"--lab\"?\nsee: rocec help lab exec\n"},
		{[]string{"--hepl"}, "unknown flag: --hepl. Did you mean \"--help\"?\nsee: rocec --help\n"},
		{[]string{"plan", "--zzzzzz"}, "unknown flag: --zzzzzz\nsee: rocec help plan\n"},
		{[]string{"plan", "--parallel", "x"}, "--parallel needs a number, not \"x\"\nsee: rocec help plan\n"},
		{[]string{"plan", "--parallel", "99999999999999999999"}, "--parallel needs a smaller number than 99999999999999999999\nsee: rocec help plan\n"},
		{[]string{"validate", file}, file + " is a file, and a fabric is a folder. Name the folder of the file: " + example + "\n"},
		{[]string{"show", example}, "show: " + example + " is a folder. Add a device, a port or two hosts: rocec show " + example + " NAME\n"},
		{
			[]string{"apply", "--lab=new", "--replace", "tor1", "--replace", "tor2", example},
			"--replace changes a single device, and is given 2 times\n",
		},
		{[]string{"help", "--man", "m", "lab"}, "rocec help --man accepts no verb or page\nsee: rocec help --help\n"},
		{
			[]string{"docs", "--man", "m", "lab"},
			"docs is now rocec help --man m lab; the old name works until 0.2\n" +
				"rocec: rocec docs --man accepts no verb or page\nsee: rocec docs --help\n",
		},
		{
			[]string{"-C", example, "verify", "--gids", "--lab=new", "--target", "nosuch"},
			"nosuch: the fabric has no device \"nosuch\" that rocec writes.\n",
		},
	} {
		code, _, stderr := rocec(t, c.args...)
		assert.NotZero(t, code, c.args)
		assert.Equal(t, oneLine("rocec: "+c.want), oneLine(stderr), c.args)
	}
}
