package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestFoldNumbers(t *testing.T) {
	for in, want := range map[string]string{
		"": "", "1": "1", "24,25,27,28,29": "24-25,27-29", "3,2,1": "3,2,1", "0, 1, 2": "0-2", "a,1,2": "a,1-2",
	} {
		require.Equal(t, want, foldNumbers(strings.Split(in, ",")))
	}
}
