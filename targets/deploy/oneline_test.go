package deploy_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/rocec/rocec/targets/deploy"
)

// TestOneLine: the output of a device becomes one line, with only the errors of a traceback.
func TestOneLine(t *testing.T) {
	for in, want := range map[string]string{
		"a\n  b\tc\n": "a b c",
		"config: failed\nTraceback (most recent call last):\n  File \"/usr/bin/config\", line 8, in <module>\n    sys.exit(config())\n" +
			"KeyError: 'PORT_QOS_MAP'\n": "config: failed KeyError: 'PORT_QOS_MAP'",
		"Traceback (most recent call last):\n  File \"x\", line 1\nValueError: a\n\nDuring handling of the above exception, another " +
			"exception occurred:\n\nTraceback (most recent call last):\n  File \"y\", line 2\nOSError: b\nexit 1\n": "ValueError: a OSError: " +
			"b exit 1",
		"Traceback (most recent call last):\n  File \"x\"": "",
		"see the Traceback, most recent":                   "see the Traceback, most recent",
		strings.Repeat("x", 500):                           strings.Repeat("x", 400) + "…",
	} {
		assert.Equal(t, want, deploy.OneLine(in), in)
	}
}
