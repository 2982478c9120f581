package scripts

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Quoted text passes two shells unchanged.
func FuzzQuote(f *testing.F) {
	for _, s := range []string{
		"", "plain-1.0/x", "a b", "it's", "''", `\`, "$x `y` $(z)", "*", "~", "a\nb\n", "!", "#", "-n", "\xff\x01",
		"é{a,b}", "a=b",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if strings.ContainsRune(s, 0) {
			require.Panics(t, func() { Quote(s) })
			return
		}
		for _, cmd := range []string{"printf %s " + Quote(s), "sh -c " + Quote("printf %s "+Quote(s))} {
			out, err := exec.Command("sh", "-c", cmd).Output()
			require.NoError(t, err)
			require.Equal(t, s, string(out))
		}
	})
}
