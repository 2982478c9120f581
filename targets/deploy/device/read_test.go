package device

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

func FuzzParseAnswers(f *testing.F) {
	f.Add([]byte("m absent\n\nm end 0\nm file\nabc\n\nm end 0\nm OK\n"))
	f.Add([]byte("m query\n\nm end 256\nm OK\n"))
	f.Add([]byte("m file\n"))
	f.Fuzz(func(t *testing.T, out []byte) {
		answers, err := parseAnswers(out, "m")
		if err != nil {
			require.Nil(t, answers)
			return
		}
		var again bytes.Buffer
		for _, a := range answers {
			fmt.Fprintf(&again, "m %s\n%s\nm end %d\n", a.is, a.data, a.status)
		}
		again.WriteString("m OK\n")
		back, err := parseAnswers(again.Bytes(), "m")
		require.NoError(t, err)
		require.Equal(t, answers, back)
	})
}

func TestParseAnswersRefuses(t *testing.T) {
	for _, bad := range []string{
		"", "m OK", "x OK\n", "m file\nabc", "m file\nabc\nm end 0", "m file\nabc\nm end 0\n", "m file\nabc\nm end x\nm OK\n",
		"m file\nabc\nm end 0\nm OK\nm OK\n", "Welcome to leaf01\nm OK\n", "m\n",
	} {
		_, err := parseAnswers([]byte(bad), "m")
		require.Error(t, err, "%q", bad)
	}
}
