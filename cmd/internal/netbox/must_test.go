package netbox

import (
	"net/url"
	"testing"

	"github.com/stretchr/testify/require"
)

func must(t *testing.T, text string) *url.URL {
	t.Helper()
	u, err := url.Parse(text)
	require.NoError(t, err)
	return u
}
