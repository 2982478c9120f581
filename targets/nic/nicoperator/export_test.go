package nicoperator

// DNSName turns a text into a name of Kubernetes.
func DNSName(text string) string { return dnsName(text) }
