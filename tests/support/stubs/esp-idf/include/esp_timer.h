/* Stands for ESP-IDF's: a timer that never waits. */
typedef struct { void (*callback)(void *); void *arg; } esp_timer_create_args_t;
typedef int esp_timer_handle_t;
static inline int esp_timer_create(const esp_timer_create_args_t *given, esp_timer_handle_t *timer)
{
    given->callback(given->arg);
    return *timer = 0;
}
static inline int esp_timer_start_periodic(esp_timer_handle_t timer, long period)
{
    return timer * (int)period;
}
