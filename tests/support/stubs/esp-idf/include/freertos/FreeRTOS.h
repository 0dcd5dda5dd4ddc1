#define portTICK_PERIOD_MS 10
