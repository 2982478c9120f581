package tools

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// A shell prompt gives the name of the host. Texts with several names, and lines that only resemble prompts, give none.
func TestPrompted(t *testing.T) {
	for text, want := range map[string]string{
		"[root@gpu1 ~]# mlnx_qos -i eth0\n":             "gpu1",
		"root@gpu1:~# dcb pfc show dev eth0\n":          "gpu1",
		"alice@gpu1.dc1.example.net:/tmp$ ip link\n":    "gpu1.dc1.example.net",
		"[root@gpu1:~] esxcli network nic list\n":       "gpu1",
		"[root@gpu1 ~]# a\nx\n[root@gpu2 ~]# b\n":       "",
		"[root@gpu1 ~]# a\nx\n[root@gpu1 ~]# b\n":       "gpu1",
		"$ mlnx_qos -i eth0\n":                          "",
		"firmware-version: root@16.35\n":                "",
		"mail alice@gpu1 # of the owner\n":              "",
		"alice@ $ \n@gpu1# x\nalice@gpu 1\nalice@gpu1$": "",
		"": "",
	} {
		assert.Equal(t, want, prompted(map[string][]byte{"host.txt": []byte(text)}), text)
	}
}
