package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"

	"github.com/goss-org/goss"
	gossutil "github.com/goss-org/goss/util"
)

// Reads JSON lines {"file": path} on stdin args; prints {"error":..} or {"results":[[result, compact]...], "line":...}
type res struct {
	Result  int    `json:"result"`
	Compact string `json:"summary-line-compact"`
	Type    string `json:"resource-type"`
	ID      string `json:"resource-id"`
}
type out struct {
	Results []res `json:"results"`
	Summary struct {
		Count  int `json:"test-count"`
		Failed int `json:"failed-count"`
	} `json:"summary"`
}

func main() {
	enc := json.NewEncoder(os.Stdout)
	enc.SetEscapeHTML(false)
	for _, f := range os.Args[1:] {
		var b bytes.Buffer
		cfg, _ := gossutil.NewConfig(gossutil.WithMaxConcurrency(1), gossutil.WithResultWriter(&b), gossutil.WithSpecFile(f))
		_, err := goss.Validate(cfg)
		if err != nil {
			enc.Encode(map[string]any{"error": err.Error()})
			continue
		}
		var o out
		if err := json.Unmarshal(b.Bytes(), &o); err != nil {
			enc.Encode(map[string]any{"error": fmt.Sprint("json: ", err)})
			continue
		}
		enc.Encode(o)
	}
}
