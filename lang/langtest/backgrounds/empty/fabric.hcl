fabric "pod1" {}
